import { createAdminClient, type AdminClient } from '../../contract/client.ts';
import { accessToken } from '../sign-in/access-token.ts';
import type { Deployment } from '../sign-in/known-deployment.ts';
import type { CliContext } from '../terminal/cli-context.ts';

/** A client of a deployment's admin API, with the sign-in that the environment or the last login gives for each call. */
export const adminClient = (context: CliContext, deployment: Deployment): AdminClient =>
  createAdminClient({ baseUrl: deployment.adminApiUrl, token: () => accessToken(context, deployment), fetch: context.fetch });
