"""Helpers of the tests, a module for each noun. A helper that files of more than one folder use stands here."""
