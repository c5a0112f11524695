"""Tags of a bucket.

Missing: a template's `Tags`; the calls work.
AWS: GetBucketTagging returns them. CDK's custom resources check their tag before they empty a bucket.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-s3-bucket.html
"""

from ministack.services import s3

from gaps.provisioning import after_provisioning


def patch():
    after_provisioning("AWS::S3::Bucket", _set_tags)


def _set_tags(bucket, properties):
    tags = {tag["Key"]: tag["Value"] for tag in properties.get("Tags") or []}
    if tags:
        s3._bucket_tags[bucket] = tags
    else:
        s3._bucket_tags.pop(bucket, None)
