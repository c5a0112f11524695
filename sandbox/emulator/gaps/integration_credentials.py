"""The role of an HTTP API's integration with an AWS service (`CredentialsArn` of `AWS::ApiGatewayV2::Integration`).

Missing: CloudFormation drops the property, so GetIntegrations does not return it.
AWS: API Gateway calls the service with this role and no other permission.
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-aws-services.html
"""

from ministack.services.cloudformation import provisioners


def patch():
    properties_of = provisioners._apigw_v2_integration_props

    def with_credentials(properties):
        return {**properties_of(properties), "credentialsArn": properties.get("CredentialsArn")}

    provisioners._apigw_v2_integration_props = with_credentials
