import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpNoneAuthorizer, HttpRoute, HttpRouteKey, HttpStage, LogGroupLogDestination, type CfnStage, type CorsPreflightOptions, type HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { accessLogGroup, nameInStack } from '../contract/monitored-resources.ts';
import { logRetention } from './lambda-function.ts';

/** Requests a second in the long run, and how many at once. */
export type Throttle = { readonly rate: number; readonly burst: number };

export type HttpEndpointProps = {
  /** After the stack's name, the name of the API. */
  readonly name: string;
  readonly description: string;
  readonly cors: CorsPreflightOptions;
  readonly throttle: Throttle;
};

/** One line of JSON a request. No query string: it may carry a token. */
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
 * An HTTP API whose every request ends in a Lambda (payload format 2.0), with a throttled default stage and an access log.
 * The gateway asks for no token: what a 401 and a 403 look like is part of the interface, so the Lambdas answer them.
 */
export class HttpEndpoint extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  /** A line of JSON for each request. */
  readonly accessLog: LogGroup;
  /** The name among the deployment's APIs, without the stack's. */
  readonly shortName: string;

  constructor(scope: Construct, id: string, { name, description, cors, throttle }: HttpEndpointProps) {
    super(scope, id);
    const apiName = nameInStack(Stack.of(this).stackName, name);
    this.shortName = name;
    this.api = new HttpApi(this, 'Api', { apiName, description, corsPreflight: cors, createDefaultStage: false });
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

  /** Sends a path with a method to a Lambda, below a throttle of the route's own when one is given. */
  route(method: HttpMethod, path: string, handler: IFunction, throttle?: Throttle): void {
    const routeKey = `${method} ${path}`;
    const route = this.addRoute(routeKey, HttpRouteKey.with(path, method), handler);
    if (!throttle) return;
    const stage = this.stage.node.defaultChild as CfnStage;
    stage.routeSettings = { [routeKey]: { ThrottlingRateLimit: throttle.rate, ThrottlingBurstLimit: throttle.burst } };
    stage.node.addDependency(route);
  }

  /** Sends whatever no other route takes to a Lambda, so that an unknown path too gets an answer of ours. Preflight requests get there. */
  everythingElse(handler: IFunction): void {
    this.addRoute('$default', HttpRouteKey.DEFAULT, handler);
  }

  private addRoute(id: string, routeKey: HttpRouteKey, handler: IFunction): HttpRoute {
    return new HttpRoute(this, id, {
      httpApi: this.api,
      routeKey,
      integration: new HttpLambdaIntegration(`${handler.node.id}Integration`, handler),
      authorizer: new HttpNoneAuthorizer(),
    });
  }
}
