// One import gives a user all of the library: pipelines, models, stores, history.
@_exported public import FeedInference
@_exported public import FeedReading
@_exported public import ImportModel
@_exported public import PipelineFile
@_exported public import StoreInterface
@_exported public import struct TypedRows.RejectedRecord
