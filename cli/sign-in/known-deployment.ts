import * as z from 'zod';
import { loopbackHosts } from '../../contract/oauth/registration.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { CliError, usageError } from '../terminal/cli-error.ts';
import { configFile, readJsonFile, writeConfigFile } from './config-files.ts';

/** The URLs of a deployment, and the OAuth client for users. */
export type Deployment = {
  /** The base URL of the admin API. Like `authUrl`, it has no slash at the end. */
  readonly adminApiUrl: string;
  readonly authUrl: string;
  /** The client id for users. Absent when only a headless client is used. */
  readonly clientId: string | undefined;
  /** The base URL of JMAP. Absent when it was not given. */
  readonly jmapUrl?: string;
};

const Outputs = z.object({ adminApiUrl: z.string(), authUrl: z.string(), cliClientId: z.string().optional(), jmapUrl: z.string().optional() });
const WithOutputs = z.object({ outputs: Outputs });
const Config = z.object({ admin_api_url: z.string(), auth_url: z.string(), client_id: z.string().optional(), jmap_url: z.string().optional() });

/**
 * Checks the URL of an API.
 * @throws CliError for a URL without TLS, because tokens are sent to it. A loopback address may use http.
 */
export const readUrl = (option: string, value: string): string => {
  const url = URL.parse(value);
  if (!url || url.username || url.search || url.hash) throw usageError(`${option} must be a URL such as https://api.example.com`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopbackHosts.some((host) => host === url.hostname))) {
    throw usageError(`${option} must begin with https://`);
  }
  return value.replace(/(?<!\/)\/+$/, '');
};

const deploymentOf = ({ adminApiUrl, authUrl, cliClientId, jmapUrl }: z.output<typeof Outputs>): Deployment => ({
  adminApiUrl: readUrl('adminApiUrl', adminApiUrl),
  authUrl: readUrl('authUrl', authUrl),
  clientId: cliClientId,
  ...(jmapUrl !== undefined && { jmapUrl: readUrl('jmapUrl', jmapUrl) }),
});

/**
 * Reads a deployment from a file with a stack's outputs: the file of `cdk deploy --outputs-file`, or a JSON object with
 * `outputs`.
 * @throws CliError when the file does not exist or has no such outputs.
 */
export const deploymentFromOutputs = async (path: string): Promise<Deployment> => {
  const content = await readJsonFile(path);
  if (content === undefined) throw usageError(`there is no file ${path}`);
  const candidates = [WithOutputs.safeParse(content).data?.outputs, ...Object.values(content ?? {}).map((each) => Outputs.safeParse(each).data)];
  const outputs = candidates.find((each) => each !== undefined);
  if (!outputs) throw usageError(`${path} has no outputs adminApiUrl and authUrl`);
  return deploymentOf(outputs);
};

export const storeDeployment = async (environment: CliContext['environment'], { adminApiUrl, authUrl, clientId, jmapUrl }: Deployment): Promise<void> =>
  writeConfigFile(configFile(environment, 'config.json'), {
    admin_api_url: adminApiUrl,
    auth_url: authUrl,
    ...(clientId !== undefined && { client_id: clientId }),
    ...(jmapUrl !== undefined && { jmap_url: jmapUrl }),
  });

/**
 * The deployment to call: from `--outputs` or POSTRIDER_OUTPUTS, else from POSTRIDER_ADMIN_API_URL and
 * POSTRIDER_AUTH_URL, else that of the last login.
 * @throws CliError when no deployment is known.
 */
export const findDeployment = async (environment: CliContext['environment'], outputs: string | undefined): Promise<Deployment> => {
  const file = outputs ?? environment['POSTRIDER_OUTPUTS'];
  if (file) return deploymentFromOutputs(file);
  const { POSTRIDER_ADMIN_API_URL: adminApiUrl, POSTRIDER_AUTH_URL: authUrl } = environment;
  if (adminApiUrl && authUrl) {
    return {
      adminApiUrl: readUrl('POSTRIDER_ADMIN_API_URL', adminApiUrl),
      authUrl: readUrl('POSTRIDER_AUTH_URL', authUrl),
      clientId: environment['POSTRIDER_CLI_CLIENT_ID'],
    };
  }
  const path = configFile(environment, 'config.json');
  const content = await readJsonFile(path);
  const stored = Config.safeParse(content);
  if (stored.success) {
    const { admin_api_url: adminApiUrl, auth_url: authUrl, client_id: cliClientId, jmap_url: jmapUrl } = stored.data;
    return deploymentOf({ adminApiUrl, authUrl, cliClientId, jmapUrl });
  }
  if (content !== undefined) throw new CliError(`${path} is not valid; sign in again: postrider-admin login --outputs FILE`);
  throw usageError('no deployment is known. Sign in first: postrider-admin login --outputs FILE, or login --admin-api-url URL --auth-url URL --client-id ID');
};
