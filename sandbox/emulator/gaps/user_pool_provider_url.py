"""`Fn::GetAtt` of a user pool's `ProviderURL`.

Missing: the attribute. AWS: `https://cognito-idp.<region>.amazonaws.com/<pool id>`.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cognito-userpool.html
"""

from ministack.core.responses import get_region

from gaps.provisioning import with_attributes


def patch():
    with_attributes("AWS::Cognito::UserPool", lambda pool_id, _: {
        "ProviderURL": f"https://cognito-idp.{get_region()}.amazonaws.com/{pool_id}",
    })
