/**
 * The deployment's resources whose metrics and logs the monitoring service reads. `lib/` writes them to the Lambda's
 * environment, which is limited to 4 KB, so they are names instead of ARNs.
 */
export type MonitoredResources = {
  /** The stack's name, which is the prefix of the names of its Lambdas and APIs. */
  readonly stack: string;
  readonly apis: readonly MonitoredApi[];
  /** Short names of Lambdas, such as `deliver`. */
  readonly functions: readonly string[];
  /** Queue names by the queue's path in the stack: `InboundMail/Waiting`. */
  readonly queues: { readonly [place: string]: string };
  /** The name of the topic that SES notifies of received mail. */
  readonly inboundTopic: string;
};

/** {@link MonitoredResources} as they are in the environment: an API is one text, and so are all Lambdas, which takes less of the 4 KB. */
export type StatedResources = Omit<MonitoredResources, 'apis' | 'functions'> & { readonly apis: readonly string[]; readonly functions: string };

export const statedResources = ({ apis, functions, ...resources }: MonitoredResources): StatedResources => ({
  ...resources,
  apis: apis.map(({ name, id, stage, kind }) => [name, id, stage, kind].join('|')),
  functions: functions.join(' '),
});

const apiKinds = ['http', 'rest', 'web-socket'] as const;

/** @param stated JSON of {@link StatedResources}. */
export const parseMonitoredResources = (stated: string): MonitoredResources => {
  const { apis, functions, ...resources }: StatedResources = JSON.parse(stated);
  const apiOf = (api: string): MonitoredApi => {
    const [name = '', id = '', stage = '', statedKind] = api.split('|');
    const kind = apiKinds.find((each) => each === statedKind);
    if (kind === undefined) throw new Error(`${api} has no kind of API`);
    return { name, id, stage, kind };
  };
  return { ...resources, apis: apis.map(apiOf), functions: functions.split(' ') };
};

export type MonitoredApi = {
  /** The API's short name, such as `admin`. */
  readonly name: string;
  readonly id: string;
  /** The name of the stage; the names of all stages of a REST API. */
  readonly stage: string;
  /** The kind of the API. Only HTTP APIs have an access log. The names of metrics differ. */
  readonly kind: (typeof apiKinds)[number];
};

/**
 * Whether a queue of {@link MonitoredResources} is a dead-letter queue, which has no consumer. @param place the queue's
 * path in the stack.
 */
export const isDeadLetterQueue = (place: string): boolean => /(^|\/)(DeadLetters|Failed[A-Za-z]*)$/.test(place);

/** The names that a deployment's stack with the outputs may have, and its name without the setting `stackName`. */
export const stackNamePattern = /^[A-Za-z][A-Za-z0-9-]{0,39}$/;
export const defaultStackName = 'Postrider';

/** The stack of a deployment's tables, bucket and user pool. @param stack the stack with the outputs. */
export const dataStackName = (stack: string): string => `${stack}-data`;

/** The stack of a deployment's admin services. @param stack the stack with the outputs. */
export const adminStackName = (stack: string): string => `${stack}-admin`;

/** The name of a Lambda or an API of the deployment in AWS. */
export const nameInStack = (stack: string, name: string): string => `${stack}-${name}`;

/** The namespace of the metrics of a stack. */
export const metricNamespace = (stack: string): string => `Postrider/${stack}`;

/** The log group of a Lambda. @param functionName the Lambda's name in AWS. */
export const functionLogGroup = (functionName: string): string => `/aws/lambda/${functionName}`;

/**
 * The log group of an HTTP API's access log, which has a line for each request. @param apiName the API's name in AWS.
 */
export const accessLogGroup = (apiName: string): string => `/aws/vendedlogs/apis/${apiName}`;
