"""The daemon as a service of the operating system: systemd, launchd, Task Scheduler."""
