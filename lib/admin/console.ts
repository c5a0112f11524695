import { Construct } from 'constructs';
import type { DeploymentContext } from '../deployment-context.ts';
import { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import type { HostedSignIn } from '../sign-in/hosted-sign-in.ts';

export type ConsoleProps = {
  readonly context: Pick<DeploymentContext, 'publicUrls'>;
  /** Host name of the custom domain; undefined without one. */
  readonly hostName: string | undefined;
};

export type ConsoleServerProps = {
  readonly context: Pick<DeploymentContext, 'domain' | 'mfa'>;
  readonly adminApiUrl: string;
  readonly jmapUrl: string;
  readonly userPool: HostedSignIn;
  readonly code: LambdaCode;
};

/**
 * The admin console: an HTTP API with a Lambda that serves its files. It needs no certificate in another region and no
 * CloudFront distribution, and costs nothing while it is not used. Its app client needs its URL, so the Lambda is added
 * later.
 */
export class Console extends Construct {
  readonly endpoint: HttpEndpoint;
  /** Base URL for browsers, without a slash at the end: a web origin. */
  readonly url: string;

  constructor(scope: Construct, id: string, { context, hostName }: ConsoleProps) {
    super(scope, id);
    this.endpoint = new HttpEndpoint(this, 'Endpoint', { name: 'console', description: 'Files of the admin console', throttle: { rate: 50, burst: 200 } });
    this.url = context.publicUrls.console ?? (hostName ? `https://${hostName}` : this.endpoint.api.apiEndpoint);
  }

  /** Adds the Lambda that serves the files and the settings of the deployment. */
  addServer({ context, adminApiUrl, jmapUrl, userPool, code }: ConsoleServerProps): void {
    const server = new LambdaFunction(this, 'Server', {
      code,
      name: 'console',
      description: 'Serves the files of the admin console',
      environment: {
        mailDomain: context.domain,
        adminApiUrl,
        jmapUrl,
        authUrl: userPool.authUrl,
        consoleClientId: userPool.consoleClient.ref,
        cliClientId: userPool.cliClient.ref,
        mfa: context.mfa,
      },
    });
    this.endpoint.addDefaultRoute(server);
  }
}
