import { accessLogGroup, functionLogGroup, nameInStack, type MonitoredResources } from '../../../contract/monitored-resources.ts';

/** A log group of the deployment. */
export type LogGroup = { readonly name: string; readonly of: 'function' | 'requests' };

/** The log groups that belong to the deployment: of its Lambdas, and of the requests to its HTTP APIs. */
export const logGroupsOf = ({ stack, apis, functions }: MonitoredResources): LogGroup[] => [
  ...functions.map((name) => ({ name: functionLogGroup(nameInStack(stack, name)), of: 'function' as const })),
  ...apis.filter(({ kind }) => kind === 'http').map(({ name }) => ({ name: accessLogGroup(nameInStack(stack, name)), of: 'requests' as const })),
];
