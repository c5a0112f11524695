"""Throttling settings of a stage.

Missing: a template's `DefaultRouteSettings` and `RouteSettings` keep their upper-case keys, so GetStages returns none.
AWS: GetStages returns `throttlingBurstLimit` and `throttlingRateLimit`. The gateway of the sandbox enforces these
values.
https://docs.aws.amazon.com/apigatewayv2/latest/api-reference/apis-apiid-stages.html
"""

from ministack.services.cloudformation import provisioners

from gaps.provisioning import lower_first


def patch():
    stage_of = provisioners._apigw_v2_stage_props

    def stage_with_settings(properties):
        stage = stage_of(properties)
        stage["defaultRouteSettings"] = lower_first(stage["defaultRouteSettings"])
        stage["routeSettings"] = {key: lower_first(settings) for key, settings in stage["routeSettings"].items()}
        return stage

    provisioners._apigw_v2_stage_props = stage_with_settings
