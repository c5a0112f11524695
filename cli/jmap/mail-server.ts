import * as z from 'zod';
import { discoveryPaths } from '../../contract/jmap/discovery.ts';
import { configFile, readJsonFile, writeConfigFile } from '../sign-in/config-files.ts';
import { deploymentFromOutputs, findDeployment, readUrl, type Deployment } from '../sign-in/known-deployment.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { CliError, usageError } from '../terminal/cli-error.ts';

/** The base URLs of a person's JMAP server and of its sign-in, without a slash at the end. */
export type MailServer = { readonly jmapUrl: string; readonly authUrl: string; readonly clientId: string | undefined };

type ServerContext = Pick<CliContext, 'environment' | 'fetch'>;
export type ServerOptions = { readonly server?: string | undefined; readonly outputs?: string | undefined };

const StoredServer = z.object({ jmap_url: z.string(), auth_url: z.string(), client_id: z.string().optional() });
const Metadata = z.object({ token_endpoint: z.string(), registration_endpoint: z.string().optional() });
export type ServerMetadata = z.output<typeof Metadata>;

const tokenPath = '/oauth2/token';

/** The metadata of the authorization server of a deployment (RFC 8414). @throws CliError when there are none. */
export const readServerMetadata = async ({ fetch: send }: Pick<CliContext, 'fetch'>, jmapUrl: string): Promise<ServerMetadata> => {
  const url = `${jmapUrl}${discoveryPaths.authorizationServer}`;
  const response = await send(url, { signal: AbortSignal.timeout(30_000), redirect: 'error' }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new CliError(`${jmapUrl} cannot be reached: ${cause}`);
  });
  const metadata = response.ok ? Metadata.safeParse(await response.json().catch(() => undefined)).data : undefined;
  if (!metadata?.token_endpoint.endsWith(tokenPath)) throw new CliError(`${url} has no metadata of a Postrider deployment`);
  return metadata;
};

export const authUrlOf = ({ token_endpoint: url }: ServerMetadata): string => readUrl('token_endpoint', url.slice(0, -tokenPath.length));

/** The base URL of JMAP from `--server`, which is the URL or its host name. */
export const readServer = (value: string): string => readUrl('--server', value.includes('://') ? value : `https://${value}`);

const serverOf = ({ jmapUrl, authUrl, clientId }: Deployment, origin: string): MailServer => {
  if (jmapUrl === undefined) throw usageError(`${origin} has no jmapUrl; give --server URL`);
  return { jmapUrl, authUrl, clientId };
};

const storedServer = async (environment: CliContext['environment']): Promise<MailServer | undefined> => {
  const stored = StoredServer.safeParse(await readJsonFile(configFile(environment, 'mail.json'))).data;
  return stored && { jmapUrl: readUrl('jmap_url', stored.jmap_url), authUrl: readUrl('auth_url', stored.auth_url), clientId: stored.client_id };
};

export const storeServer = (environment: CliContext['environment'], { jmapUrl, authUrl, clientId }: MailServer): Promise<void> =>
  writeConfigFile(configFile(environment, 'mail.json'), { jmap_url: jmapUrl, auth_url: authUrl, ...(clientId !== undefined && { client_id: clientId }) });

/**
 * The mail server: `--server` or POSTRIDER_JMAP_URL, else the deployment of `--outputs` or POSTRIDER_OUTPUTS, else that
 * of the last `postrider login`, else that of the last `postrider-admin login`.
 * @throws CliError when none is known.
 */
export const findServer = async (context: ServerContext, { server, outputs }: ServerOptions): Promise<MailServer> => {
  const { environment } = context;
  const given = server ?? environment['POSTRIDER_JMAP_URL'];
  const stored = await storedServer(environment);
  if (given) {
    const jmapUrl = readServer(given);
    if (stored?.jmapUrl === jmapUrl) return stored;
    return {
      jmapUrl,
      clientId: environment['POSTRIDER_CLI_CLIENT_ID'],
      authUrl: environment['POSTRIDER_AUTH_URL'] ?? (environment['POSTRIDER_TOKEN'] ? '' : authUrlOf(await readServerMetadata(context, jmapUrl))),
    };
  }
  const file = outputs ?? environment['POSTRIDER_OUTPUTS'];
  if (file) return serverOf(await deploymentFromOutputs(file), file);
  if (stored) return stored;
  const admin = await findDeployment(environment, undefined).catch(() => undefined);
  if (admin?.jmapUrl !== undefined) return serverOf(admin, '');
  throw usageError('no server is known. Sign in first: postrider login --server https://jmap.example.com');
};
