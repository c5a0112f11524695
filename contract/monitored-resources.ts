/**
 * What belongs to the deployment and can be watched: written by `lib/`, read by the monitoring Lambda. Names, not ARNs:
 * an environment holds 4 KB.
 */
export type MonitoredResources = {
  /** The stack's name, with which the names of its Lambdas and APIs begin. */
  readonly stack: string;
  readonly apis: readonly MonitoredApi[];
  /** Short names of Lambdas: `deliver`. */
  readonly functions: readonly string[];
  /** Queues by the place that they have in the deployment: `InboundMail/Waiting`. */
  readonly queues: { readonly [place: string]: string };
};

export type MonitoredApi = {
  /** `admin` */
  readonly name: string;
  readonly id: string;
  readonly stage: string;
  /** HTTP APIs keep a log of requests, and have other metrics than WebSocket APIs. */
  readonly kind: 'http' | 'web-socket';
};

/** The name that a Lambda or an API has in AWS: the deployment's, then its own. */
export const nameInStack = (stack: string, name: string): string => `${stack}-${name}`;

/** The log group of a Lambda. @param functionName as AWS knows it. */
export const functionLogGroup = (functionName: string): string => `/aws/lambda/${functionName}`;

/** The log group with a line for each request of an HTTP API. @param apiName as AWS knows it. */
export const accessLogGroup = (apiName: string): string => `/aws/vendedlogs/apis/${apiName}`;
