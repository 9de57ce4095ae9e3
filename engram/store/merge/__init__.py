"""Merge of two versions of one file without loss: conflict copies of sync tools, git markers."""
