"""Parts that several sources share: conversations, exports, tool calls."""
