import {
  ApiGatewayV2Client,
  GetApisCommand,
  GetIntegrationsCommand,
  GetRoutesCommand,
  GetStagesCommand,
  type Api,
  type Integration,
} from '@aws-sdk/client-apigatewayv2';
import { CloudFormationClient, CloudFormationServiceException, paginateListStackResources, type StackResourceSummary } from '@aws-sdk/client-cloudformation';
import { dataStackName, nameInStack } from '../../../contract/deployment/monitored-resources.ts';
import { downloadPath, uploadPath } from '../../../contract/jmap/blob.ts';
import { authorizationPaths } from '../../../contract/jmap/discovery.ts';
import { emulated } from '../../emulator/emulator-process.ts';

/** An integration of the subtype SQS-ReceiveMessage. */
export type LongPoll = {
  readonly queueUrl: string;
  /** The role with which API Gateway calls SQS. */
  readonly roleArn: string;
  readonly waitTimeSeconds: number;
  readonly maxNumberOfMessages: number;
  /** Headers that `ResponseParameters` overwrite in a response with status 200. */
  readonly headers: Readonly<Record<string, string>>;
};

export type DeployedApi = {
  readonly id: string;
  readonly stage: string;
  /** The path of the URL that API Gateway removes before it looks for a route. */
  readonly basePath?: string;
  /** Whether it is a stage of a REST API, and whether that streams its responses. */
  readonly rest?: 'whole' | 'streamed';
  readonly routeKeys: readonly string[];
  /** Routes whose integration is a long poll of an SQS queue, with the integration's parameters. */
  readonly longPolls: ReadonlyMap<string, LongPoll>;
};

/** The stack's resources that the gateway serves. */
export type DeployedStack = {
  readonly adminApi: DeployedApi;
  /** The console's API. Absent in a stack without the console. */
  readonly consoleApi: DeployedApi | undefined;
  readonly webmailApi: DeployedApi | undefined;
  readonly jmapApi: DeployedApi;
  /** What API mappings serve at the host name of JMAP: the stages of the REST API for blobs, and the authorization endpoint. */
  readonly mappedApis: readonly DeployedApi[];
  readonly webSocketApi: DeployedApi;
  readonly userPoolId: string;
};

/** Configuration of an SDK client for the emulator. */
export const emulatorConfig = (emulator: string) => ({
  endpoint: emulator,
  region: emulated.region,
  credentials: { accessKeyId: emulated.accountId, secretAccessKey: emulated.secretAccessKey },
});

/**
 * Reads an integration that receives messages of a queue. The emulator keeps its parameters, but not its subtype.
 * ResponseParameters have CloudFormation's form, a list of destinations and sources.
 */
const longPollFrom = ({ CredentialsArn: roleArn, RequestParameters: request = {}, ResponseParameters: response = {} }: Integration): LongPoll | undefined => {
  const { QueueUrl: queueUrl } = request;
  if (queueUrl === undefined || roleArn === undefined) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the emulator has CloudFormation's form here
  const { ResponseParameters: overwrites = [] } = (response['200'] ?? {}) as unknown as {
    readonly ResponseParameters?: readonly { readonly Destination: string; readonly Source: string }[];
  };
  return {
    queueUrl,
    roleArn,
    waitTimeSeconds: Number(request['WaitTimeSeconds'] ?? 0),
    maxNumberOfMessages: Number(request['MaxNumberOfMessages'] ?? 1),
    headers: Object.fromEntries(overwrites.map(({ Destination, Source }) => [Destination.replace('overwrite:header.', ''), Source])),
  };
};

const describeApi = async (client: ApiGatewayV2Client, id: string): Promise<DeployedApi> => {
  const [stages, routes, integrations] = await Promise.all([
    client.send(new GetStagesCommand({ ApiId: id })),
    client.send(new GetRoutesCommand({ ApiId: id })),
    client.send(new GetIntegrationsCommand({ ApiId: id })),
  ]);
  const longPolls = (routes.Items ?? []).flatMap((route) => {
    const integration = (integrations.Items ?? []).find(({ IntegrationId: own }) => own && route.Target?.endsWith(own));
    const longPoll = integration && longPollFrom(integration);
    return longPoll ? [[route.RouteKey!, longPoll] as const] : [];
  });
  return {
    id,
    stage: stages.Items?.[0]?.StageName ?? '$default',
    routeKeys: (routes.Items ?? []).map((route) => route.RouteKey!),
    longPolls: new Map(longPolls),
  };
};

/** The stages of the REST API for blobs. Each has the name of the path below which a custom domain serves it. */
const blobApiOf = (id: string): DeployedApi[] =>
  [uploadPath, downloadPath].map((path) => ({
    id,
    stage: path.slice(1),
    basePath: path,
    rest: path === downloadPath ? 'streamed' : 'whole',
    routeKeys: ['ANY /', 'ANY /{accountId}'],
    longPolls: new Map(),
  }));

const resourcesOf = async (emulator: string, stackName: string): Promise<StackResourceSummary[]> => {
  const client = new CloudFormationClient(emulatorConfig(emulator));
  try {
    const found: StackResourceSummary[] = [];
    for await (const page of paginateListStackResources({ client }, { StackName: stackName })) found.push(...(page.StackResourceSummaries ?? []));
    return found;
  } catch (error) {
    if (error instanceof CloudFormationServiceException && error.name === 'ValidationError') return [];
    throw error;
  } finally {
    client.destroy();
  }
};

/** Finds the deployment's APIs and user pool; undefined while one of them is missing. */
export const findDeployedStack = async (emulator: string, stackName: string): Promise<DeployedStack | undefined> => {
  const resources = [...(await resourcesOf(emulator, stackName)), ...(await resourcesOf(emulator, dataStackName(stackName)))];
  const idsOf = (type: string): string[] =>
    resources.filter((resource) => resource.ResourceType === type && resource.PhysicalResourceId).map((resource) => resource.PhysicalResourceId!);
  const [apiIds, [userPoolId]] = [idsOf('AWS::ApiGatewayV2::Api'), idsOf('AWS::Cognito::UserPool')];
  if (apiIds.length === 0 || !userPoolId) return undefined;
  const client = new ApiGatewayV2Client(emulatorConfig(emulator));
  try {
    const { Items: apis = [] } = await client.send(new GetApisCommand({}));
    const ours = apis.filter((api): api is Api & { ApiId: string } => apiIds.includes(api.ApiId!));
    const described = await Promise.all(ours.map(async (api) => ({ name: api.Name, protocol: api.ProtocolType, ...(await describeApi(client, api.ApiId)) })));
    const named = (name: string) => described.find((api) => api.name === nameInStack(stackName, name));
    const [consoleApi, webmailApi, authorization] = [named('console'), named('webmail'), named('authorization')];
    const mappedApis = [
      ...idsOf('AWS::ApiGateway::RestApi').flatMap(blobApiOf),
      ...(authorization ? [{ ...authorization, basePath: authorizationPaths.oauth }] : []),
    ];
    const http = described.filter((api) => api.protocol === 'HTTP' && ![consoleApi, webmailApi, authorization].includes(api));
    const isJmap = (api: DeployedApi): boolean => api.routeKeys.some((key) => key.endsWith(' /jmap'));
    const [jmapApi, adminApi, webSocketApi] = [http.find(isJmap), http.find((api) => !isJmap(api)), described.find((api) => api.protocol === 'WEBSOCKET')];
    return jmapApi && adminApi && webSocketApi ? { jmapApi, mappedApis, adminApi, consoleApi, webmailApi, webSocketApi, userPoolId } : undefined;
  } finally {
    client.destroy();
  }
};
