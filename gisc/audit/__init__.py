"""The audit log: what people did in the administration and on the command line, with what it was before and after.

Workers write no line: rows are compared only while a person's act is collected (`gisc.audit.collecting`).
"""
