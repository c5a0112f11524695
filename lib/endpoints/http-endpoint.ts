import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnRoute, HttpApi, HttpNoneAuthorizer, HttpRoute, HttpRouteKey, HttpStage, LogGroupLogDestination,
  type CfnIntegration, type CfnStage, type CorsPreflightOptions, type HttpMethod,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { accessLogGroup, nameInStack } from '../../contract/deployment/monitored-resources.ts';
import { logRetention } from '../lambda/lambda-function.ts';

/** `rate`: average requests a second. `burst`: maximum concurrent requests. */
type Throttle = { readonly rate: number; readonly burst: number };

export type HttpEndpointProps = {
  /** The part of the API's name after the stack's name. */
  readonly name: string;
  readonly description: string;
  /** Which web origins may call. Default: none but the API's own. */
  readonly cors?: CorsPreflightOptions;
  readonly throttle: Throttle;
};

/** One line of JSON for each request, without the query string, which may hold a token. */
const accessLogFormat = AccessLogFormat.custom(JSON.stringify({
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  routeKey: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  responseLength: '$context.responseLength',
  responseLatency: '$context.responseLatency',
  integrationError: '$context.integrationErrorMessage',
}));

/**
 * An HTTP API that sends nearly every request to a Lambda (payload format 2.0), with a throttled default stage and an access
 * log. It has no authorizer: the bodies of 401 and 403 are part of the interface, so the Lambdas check tokens
 * themselves.
 */
export class HttpEndpoint extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  readonly accessLog: LogGroup;
  /** The API's name without the stack's name. */
  readonly shortName: string;

  constructor(scope: Construct, id: string, { name, description, cors, throttle }: HttpEndpointProps) {
    super(scope, id);
    const apiName = nameInStack(Stack.of(this).stackName, name);
    this.shortName = name;
    this.api = new HttpApi(this, 'Api', { apiName, description, ...(cors && { corsPreflight: cors }), createDefaultStage: false });
    this.accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: accessLogGroup(apiName),
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: false,
      throttle: { rateLimit: throttle.rate, burstLimit: throttle.burst },
      accessLogSettings: { destination: new LogGroupLogDestination(this.accessLog), format: accessLogFormat },
    });
  }

  /** Routes a method and path to a Lambda. @param throttle limits this route below the stage's own limits. */
  addRoute(method: HttpMethod, path: string, handler: IFunction, throttle?: Throttle): void {
    const routeKey = `${method} ${path}`;
    const route = this.createRoute(routeKey, HttpRouteKey.with(path, method), handler);
    if (!throttle) return;
    const stage = this.stage.node.defaultChild as CfnStage;
    stage.routeSettings = {
      ...stage.routeSettings as Record<string, unknown> | undefined,
      [routeKey]: { ThrottlingRateLimit: throttle.rate, ThrottlingBurstLimit: throttle.burst },
    };
    stage.node.addDependency(route);
  }

  /** Routes a method and path to an integration with another service than Lambda. */
  addIntegrationRoute(method: HttpMethod, path: string, integration: CfnIntegration): void {
    new CfnRoute(this, `${method} ${path}`, {
      apiId: this.api.apiId,
      routeKey: `${method} ${path}`,
      authorizationType: 'NONE',
      target: `integrations/${integration.ref}`,
    });
  }

  /** Routes all other requests to a Lambda, which answers unknown paths and CORS preflight requests. */
  addDefaultRoute(handler: IFunction): void {
    this.createRoute('$default', HttpRouteKey.DEFAULT, handler);
  }

  private createRoute(id: string, routeKey: HttpRouteKey, handler: IFunction): HttpRoute {
    return new HttpRoute(this, id, {
      httpApi: this.api,
      routeKey,
      integration: new HttpLambdaIntegration(`${handler.node.id}Integration`, handler),
      authorizer: new HttpNoneAuthorizer(),
    });
  }
}
