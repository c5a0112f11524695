import { Construct } from 'constructs';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import type { siteNames } from '../lambda/site-build.ts';
import { HttpEndpoint } from './http-endpoint.ts';

export type SiteProps = {
  readonly name: (typeof siteNames)[number];
  /** What the site is, in descriptions: `admin console`. */
  readonly title: string;
  /** The URL that replaces the API's, without a slash at the end. */
  readonly publicUrl: string | undefined;
  /** Host name of the custom domain; undefined without one. */
  readonly hostName: string | undefined;
};

/**
 * A site of the deployment: an HTTP API with a Lambda that serves its files. It needs no certificate in another region and
 * no CloudFront distribution, and costs nothing while it is not used. Its app client needs its URL, so the Lambda is added
 * later.
 */
export class Site extends Construct {
  readonly endpoint: HttpEndpoint;
  /** Base URL for browsers, without a slash at the end: a web origin. */
  readonly url: string;
  private readonly site: Pick<SiteProps, 'name' | 'title'>;

  constructor(scope: Construct, id: string, { name, title, publicUrl, hostName }: SiteProps) {
    super(scope, id);
    this.site = { name, title };
    this.endpoint = new HttpEndpoint(this, 'Endpoint', { name, description: `Files of the ${title}`, throttle: { rate: 50, burst: 200 } });
    this.url = publicUrl ?? (hostName ? `https://${hostName}` : this.endpoint.api.apiEndpoint);
  }

  /** Adds the Lambda that serves the files and the settings of the deployment. */
  addServer(code: LambdaCode, environment: LambdaEnvironment): void {
    const { name, title } = this.site;
    this.endpoint.addDefaultRoute(new LambdaFunction(this, 'Server', { code, name, description: `Serves the files of the ${title}`, environment }));
  }
}
