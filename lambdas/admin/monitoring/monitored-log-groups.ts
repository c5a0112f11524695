import { accessLogGroup, functionLogGroup, nameInStack, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';

/** A log group of the deployment: that of a Lambda, or the access log of an HTTP API. */
type MonitoredLogGroup = { readonly name: string; readonly kind: 'function' | 'access' };

/** The log groups that belong to the deployment. */
export const monitoredLogGroups = ({ stack, apis, functions }: MonitoredResources): MonitoredLogGroup[] => [
  ...functions.map((name) => ({ name: functionLogGroup(nameInStack(stack, name)), kind: 'function' as const })),
  ...apis.filter(({ kind }) => kind === 'http').map(({ name }) => ({ name: accessLogGroup(nameInStack(stack, name)), kind: 'access' as const })),
];
