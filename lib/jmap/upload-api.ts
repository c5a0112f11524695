import { Stack } from 'aws-cdk-lib';
import { CfnGatewayResponse, EndpointType, LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { uploadPath } from '../../contract/jmap/blob.ts';
import { nameInStack } from '../../contract/deployment/monitored-resources.ts';
import { jmapCrossOrigin } from '../../contract/jmap/discovery.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';

/**
 * The REST API for uploads (RFC 8620 §6.1). It treats every media type as binary, so that each body arrives as octets.
 * An HTTP API passes text, JSON and XML as text, with U+FFFD for octets that are not UTF-8. There is no access log: for
 * REST APIs it needs a role for the whole AWS account. The Lambda logs failures.
 */
export class UploadApi extends Construct {
  /** The API's name without the stack's name. */
  readonly shortName = 'upload';
  readonly api: RestApi;
  /** The URL at API Gateway, with the path of the stage: `https://{api}.execute-api.{region}.amazonaws.com/upload`. */
  readonly url: string;

  constructor(scope: Construct, id: string, blobs: IFunction) {
    super(scope, id);
    const stack = Stack.of(this);
    this.api = new RestApi(this, 'Api', {
      restApiName: nameInStack(deploymentName(this), this.shortName),
      description: 'JMAP: uploads of any file',
      endpointTypes: [EndpointType.REGIONAL],
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: false,
      deployOptions: { stageName: uploadPath.slice(1), throttlingRateLimit: 500, throttlingBurstLimit: 1000 },
    });
    // The construct adds an output; those of the deployment have names of their own.
    this.api.node.tryRemoveChild('Endpoint');
    this.url = `https://${this.api.restApiId}.execute-api.${stack.region}.${stack.urlSuffix}${uploadPath}`;
    this.api.root.addResource('{accountId}').addMethod('ANY', new LambdaIntegration(blobs, { allowTestInvoke: false, scopePermissionToMethod: false }));
    this.letOtherOriginsReadErrors();
  }

  /** Adds CORS headers to the responses of API Gateway itself, such as 413 and 429. */
  private letOtherOriginsReadErrors(): void {
    for (const responseType of ['DEFAULT_4XX', 'DEFAULT_5XX']) {
      new CfnGatewayResponse(this, responseType, {
        restApiId: this.api.restApiId,
        responseType,
        responseParameters: {
          'gatewayresponse.header.access-control-allow-origin': "'*'",
          'gatewayresponse.header.access-control-expose-headers': `'${jmapCrossOrigin.exposeHeaders.join(',')}'`,
        },
      });
    }
  }
}
