import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnRoute,
  CfnStage,
  HttpApi,
  HttpIntegrationType,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteIntegration,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
  type CfnIntegration,
  type CorsPreflightOptions,
  type HttpMethod,
  type HttpRouteIntegrationBindOptions,
  type HttpRouteIntegrationConfig,
  type IHttpApi,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { accessLogGroup, nameInStack } from '../../contract/deployment/monitored-resources.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import { logRetention } from '../lambda/lambda-function.ts';
import { resourceOf } from '../lambda/resource-of.ts';

/** `rate`: average requests per second. `burst`: maximum concurrent requests. */
type Throttle = { readonly rate: number; readonly burst: number };

export type HttpEndpointProps = {
  /** The part of the API's name after the stack's name. */
  readonly name: string;
  readonly description: string;
  /** The web origins that may call the API. Default: only its own origin. */
  readonly cors?: CorsPreflightOptions;
  readonly throttle: Throttle;
};

/** One line of JSON for each request, without the query string, which may hold a token. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
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
  }),
);

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
    const apiName = nameInStack(deploymentName(this), name);
    this.shortName = name;
    this.api = new HttpApi(this, 'Api', { apiName, description, ...(cors && { corsPreflight: cors }), createDefaultStage: false });
    this.accessLog = new LogGroup(this, 'AccessLog', { logGroupName: accessLogGroup(apiName), retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
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
    const route = addRoute(this, this.api, method, path, handler);
    if (!throttle) return;
    const stage = resourceOf(this.stage, CfnStage);
    const settings: Record<string, unknown> | undefined = stage.routeSettings;
    stage.routeSettings = { ...settings, [routeKey]: { ThrottlingRateLimit: throttle.rate, ThrottlingBurstLimit: throttle.burst } };
    stage.node.addDependency(route);
  }

  /** Routes a method and path to an integration with another service than Lambda. */
  addIntegrationRoute(method: HttpMethod, path: string, integration: CfnIntegration): CfnRoute {
    return new CfnRoute(this, `${method} ${path}`, {
      apiId: this.api.apiId,
      routeKey: `${method} ${path}`,
      authorizationType: 'NONE',
      target: `integrations/${integration.ref}`,
    });
  }

  /** Routes all other requests to a Lambda, which responds to unknown paths and CORS preflight requests. */
  addDefaultRoute(handler: IFunction): void {
    addDefaultRoute(this, this.api, handler);
  }
}

/**
 * The integration of a Lambda for all its routes of an API, with one permission for all of them. The CDK's own
 * integration creates a permission for each route.
 */
class LambdaIntegration extends HttpRouteIntegration {
  private readonly handler: IFunction;
  private isPermitted = false;

  constructor(handler: IFunction) {
    super(`${handler.node.id}Integration`);
    this.handler = handler;
  }

  override bind(): HttpRouteIntegrationConfig {
    return { type: HttpIntegrationType.AWS_PROXY, uri: this.handler.functionArn, payloadFormatVersion: PayloadFormatVersion.VERSION_2_0 };
  }

  protected override completeBind({ scope, route }: HttpRouteIntegrationBindOptions): void {
    if (this.isPermitted) return;
    this.isPermitted = true;
    this.handler.addPermission('Invoked', {
      scope,
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      // Any stage and any route, the default route too, whose ARN has no path.
      sourceArn: Stack.of(scope).formatArn({ service: 'execute-api', resource: route.httpApi.apiId, resourceName: '*/*' }),
    });
  }
}

const integrations = new WeakMap<IHttpApi, Map<IFunction, LambdaIntegration>>();

const integrationOf = (api: IHttpApi, handler: IFunction): LambdaIntegration => {
  const known = integrations.get(api) ?? new Map<IFunction, LambdaIntegration>();
  const integration = known.get(handler) ?? new LambdaIntegration(handler);
  integrations.set(api, known.set(handler, integration));
  return integration;
};

const createRoute = (scope: Construct, httpApi: IHttpApi, id: string, routeKey: HttpRouteKey, handler: IFunction): HttpRoute =>
  new HttpRoute(scope, id, { httpApi, routeKey, integration: integrationOf(httpApi, handler), authorizer: new HttpNoneAuthorizer() });

/** Routes a method and path of an API, which may be in another stack, to a Lambda. */
export const addRoute = (scope: Construct, api: IHttpApi, method: HttpMethod, path: string, handler: IFunction): HttpRoute =>
  createRoute(scope, api, `${method} ${path}`, HttpRouteKey.with(path, method), handler);

/** Routes all other requests to a Lambda, which responds to unknown paths and CORS preflight requests. */
export const addDefaultRoute = (scope: Construct, api: IHttpApi, handler: IFunction): HttpRoute =>
  createRoute(scope, api, '$default', HttpRouteKey.DEFAULT, handler);
