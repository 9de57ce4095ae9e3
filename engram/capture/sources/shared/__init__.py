"""What several sources share: conversations, exports, tool calls."""
