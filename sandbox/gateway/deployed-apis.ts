import {
  ApiGatewayV2Client, GetApisCommand, GetRoutesCommand, GetStagesCommand, type Api, type RouteSettings, type Stage,
} from '@aws-sdk/client-apigatewayv2';
import {
  CloudFormationClient, CloudFormationServiceException, paginateListStackResources, type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { emulated } from '../emulator/emulator-process.ts';

/** Requests a second, and how many at once (API Gateway: RouteSettings). */
export type Throttling = { readonly rate: number; readonly burst: number };

export type DeployedApi = {
  readonly id: string;
  readonly stage: string;
  readonly routeKeys: readonly string[];
  /** The setting of the route or of the stage; undefined when only the account's limits apply. */
  readonly throttlingOf: (routeKey: string) => Throttling | undefined;
};

/** The stack's resources that the gateway serves. */
export type DeployedStack = {
  readonly adminApi: DeployedApi;
  readonly jmapApi: DeployedApi;
  readonly webSocketApi: DeployedApi;
  readonly userPoolId: string;
};

/** How an SDK client reaches the emulator. */
export const emulatorConfig = (emulator: string) => ({
  endpoint: emulator,
  region: emulated.region,
  credentials: { accessKeyId: emulated.accountId, secretAccessKey: emulated.secretAccessKey },
});

const throttlingFrom = (settings: RouteSettings | undefined): Throttling | undefined =>
  settings?.ThrottlingRateLimit === undefined || settings.ThrottlingBurstLimit === undefined
    ? undefined
    : { rate: settings.ThrottlingRateLimit, burst: settings.ThrottlingBurstLimit };

const describeApi = async (client: ApiGatewayV2Client, id: string): Promise<DeployedApi> => {
  const [stages, routes] = await Promise.all([
    client.send(new GetStagesCommand({ ApiId: id })),
    client.send(new GetRoutesCommand({ ApiId: id })),
  ]);
  const stage: Stage | undefined = stages.Items?.[0];
  const byDefault = throttlingFrom(stage?.DefaultRouteSettings);
  return {
    id,
    stage: stage?.StageName ?? '$default',
    routeKeys: (routes.Items ?? []).map((route) => route.RouteKey!),
    throttlingOf: (routeKey) => throttlingFrom(stage?.RouteSettings?.[routeKey]) ?? byDefault,
  };
};

const resourcesOf = async (emulator: string, stackName: string): Promise<StackResourceSummary[]> => {
  const client = new CloudFormationClient(emulatorConfig(emulator));
  try {
    const found: StackResourceSummary[] = [];
    for await (const page of paginateListStackResources({ client }, { StackName: stackName })) found.push(...page.StackResourceSummaries
      ?? []);
    return found;
  } catch (error) {
    if (error instanceof CloudFormationServiceException && error.name === 'ValidationError') return [];
    throw error;
  } finally {
    client.destroy();
  }
};

/** Finds the stack's APIs and user pool; undefined while one of them is missing. */
export const findDeployedStack = async (emulator: string, stackName: string): Promise<DeployedStack | undefined> => {
  const resources = await resourcesOf(emulator, stackName);
  const idsOf = (type: string): string[] => resources
    .filter((resource) => resource.ResourceType === type && resource.PhysicalResourceId)
    .map((resource) => resource.PhysicalResourceId!);
  const [apiIds, [userPoolId]] = [idsOf('AWS::ApiGatewayV2::Api'), idsOf('AWS::Cognito::UserPool')];
  if (apiIds.length === 0 || !userPoolId) return undefined;
  const client = new ApiGatewayV2Client(emulatorConfig(emulator));
  try {
    const { Items: apis = [] } = await client.send(new GetApisCommand({}));
    const ours = apis.filter((api): api is Api & { ApiId: string } => apiIds.includes(api.ApiId!));
    const described = await Promise.all(ours.map(async (api) => ({ protocol: api.ProtocolType, ...await describeApi(client, api.ApiId) })));
    const http = described.filter((api) => api.protocol === 'HTTP');
    const isJmap = (api: DeployedApi): boolean => api.routeKeys.some((key) => key.endsWith(' /jmap'));
    const [jmapApi, adminApi, webSocketApi] = [
      http.find(isJmap),
      http.find((api) => !isJmap(api)),
      described.find((api) => api.protocol === 'WEBSOCKET'),
    ];
    return jmapApi && adminApi && webSocketApi ? { jmapApi, adminApi, webSocketApi, userPoolId } : undefined;
  } finally {
    client.destroy();
  }
};
