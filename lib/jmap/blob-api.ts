import { Duration, Stack } from 'aws-cdk-lib';
import {
  CfnGatewayResponse,
  EndpointType,
  LambdaIntegration,
  ResponseTransferMode,
  RestApi,
  Stage,
  type LambdaIntegrationOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { nameInStack } from '../../contract/deployment/monitored-resources.ts';
import { downloadPath, uploadPath } from '../../contract/jmap/blob.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';

/** More than the largest message may take on the slowest connection, so that no runtime that hangs holds a Lambda for longer. */
export const downloadTimeout = Duration.minutes(12);

export type BlobApiProps = {
  readonly uploads: IFunction;
  readonly downloads: IFunction;
  /** Headers of errors that web clients may read. */
  readonly exposeHeaders: readonly string[];
};

const throttle = { throttlingRateLimit: 500, throttlingBurstLimit: 1000 };

/**
 * The REST API for uploads and downloads (RFC 8620 §6). It treats every media type as binary, so that each body arrives
 * as octets, and streams responses; an HTTP API passes text, JSON and XML as text, with U+FFFD for octets that are not
 * UTF-8, and answers with 6 MB at most. It has a stage for each path, so that the paths are the same with and without a
 * custom domain. There is no access log: for REST APIs it needs a role for the whole AWS account. The Lambdas log failures.
 */
export class BlobApi extends Construct {
  /** The API's name without the stack's name. */
  readonly shortName = 'blobs';
  readonly api: RestApi;
  /** The paths below the JMAP API's host name, with the stages that serve them. */
  readonly stages: ReadonlyMap<string, Stage>;

  constructor(scope: Construct, id: string, { uploads, downloads, exposeHeaders }: BlobApiProps) {
    super(scope, id);
    this.api = new RestApi(this, 'Api', {
      restApiName: nameInStack(deploymentName(this), this.shortName),
      description: 'JMAP: upload and download of any file',
      endpointTypes: [EndpointType.REGIONAL],
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: false,
      deployOptions: { stageName: uploadPath.slice(1), ...throttle },
    });
    // The construct adds an output; those of the deployment have names of their own.
    this.api.node.tryRemoveChild('Endpoint');
    const options: LambdaIntegrationOptions = { allowTestInvoke: false, scopePermissionToMethod: false };
    this.api.root.addResource('{accountId}').addMethod('ANY', new LambdaIntegration(uploads, options));
    this.api.root.addMethod(
      'ANY',
      new LambdaIntegration(downloads, { ...options, responseTransferMode: ResponseTransferMode.STREAM, timeout: downloadTimeout }),
    );
    const downloadStage = new Stage(this, 'Download', { deployment: this.api.latestDeployment!, stageName: downloadPath.slice(1), ...throttle });
    this.stages = new Map([
      [uploadPath, this.api.deploymentStage],
      [downloadPath, downloadStage],
    ]);
    this.letOtherOriginsReadErrors(exposeHeaders);
  }

  /** The URL of a stage at API Gateway: `https://{api}.execute-api.{region}.amazonaws.com/upload`. */
  urlOf(path: typeof uploadPath | typeof downloadPath): string {
    const { region, urlSuffix } = Stack.of(this);
    return `https://${this.api.restApiId}.execute-api.${region}.${urlSuffix}${path}`;
  }

  /**
   * Adds CORS headers to the responses of API Gateway itself, such as 413 and 429. A stage has those of its deployment, so that
   * a change needs another deployment. The CDK's own construct would give the responses other logical ids, and an update of an
   * older deployment would delete them last.
   */
  private letOtherOriginsReadErrors(exposeHeaders: readonly string[]): void {
    const deployment = this.api.latestDeployment!;
    for (const responseType of ['DEFAULT_4XX', 'DEFAULT_5XX']) {
      const responseParameters = {
        'gatewayresponse.header.access-control-allow-origin': "'*'",
        'gatewayresponse.header.access-control-expose-headers': `'${exposeHeaders.join(',')}'`,
      };
      deployment.node.addDependency(new CfnGatewayResponse(this, responseType, { restApiId: this.api.restApiId, responseType, responseParameters }));
      deployment.addToLogicalId({ responseType, responseParameters });
    }
  }
}
