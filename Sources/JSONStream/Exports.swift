// Who reads records reads the numbers in them too.
@_exported public import NumberText
