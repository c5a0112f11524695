/**
 * The deployment's resources that the monitoring service reads metrics and logs of. `lib/` writes them to the Lambda's
 * environment, which holds 4 KB, so they are names instead of ARNs.
 */
export type MonitoredResources = {
  /** The stack's name, the prefix of the names of its Lambdas and APIs. */
  readonly stack: string;
  readonly apis: readonly MonitoredApi[];
  /** Short names of Lambdas: `deliver`. */
  readonly functions: readonly string[];
  /** Queue names by the queue's path in the stack: `InboundMail/Waiting`. */
  readonly queues: { readonly [place: string]: string };
};

export type MonitoredApi = {
  /** `admin` */
  readonly name: string;
  readonly id: string;
  readonly stage: string;
  /** HTTP APIs have an access log, and other metrics than WebSocket APIs. */
  readonly kind: 'http' | 'web-socket';
};

/**
 * Whether a queue of {@link MonitoredResources} keeps messages that could not be processed. It has no consumer. @param
 * place its path in the stack.
 */
export const isDeadLetterQueue = (place: string): boolean => /(^|\/)(DeadLetters|Failed[A-Za-z]*)$/.test(place);

/** The name of a Lambda or an API in AWS. */
export const nameInStack = (stack: string, name: string): string => `${stack}-${name}`;

/** The namespace of the metrics that a stack makes. */
export const metricNamespace = (stack: string): string => `Postrider/${stack}`;

/** The log group of a Lambda. @param functionName its name in AWS. */
export const functionLogGroup = (functionName: string): string => `/aws/lambda/${functionName}`;

/** The log group of an HTTP API's access log, with a line for each request. @param apiName its name in AWS. */
export const accessLogGroup = (apiName: string): string => `/aws/vendedlogs/apis/${apiName}`;
