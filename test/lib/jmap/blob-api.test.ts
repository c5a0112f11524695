import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function } from 'aws-cdk-lib/aws-lambda';
import { BlobApi } from '../../../lib/jmap/blob-api.ts';
import { everything, readable, synthesize, variablesOf } from '../stack-under-test.ts';

const { ofType, resources } = synthesize(everything);
const lambdaOf = (uri: unknown) => ofType('AWS::Lambda::Function').find(({ id }) => JSON.stringify(uri).includes(`"${id}"`))!.Properties;

/** The settings of an integration, by the path of its resource. */
const integrations = Object.fromEntries(
  ofType('AWS::ApiGateway::Method').map(({ Properties }) => {
    const { ResourceId, HttpMethod, Integration } = Properties as { ResourceId: object; HttpMethod: string; Integration: Record<string, unknown> };
    const { Uri, ...settings } = Integration;
    const lambda = lambdaOf(Uri);
    const uri = readable(Uri).replace(/^.*(path\/.*functions\/)<.*>(\/.*)$/, '$1…$2');
    return ['Ref' in ResourceId ? '/{accountId}' : '/', { HttpMethod, ...settings, Uri: uri, lambda: [lambda['FunctionName'], lambda['Timeout']] }];
  }),
);

describe('the REST API for blobs', () => {
  test('takes every body as octets, at a regional endpoint', () => {
    expect(ofType('AWS::ApiGateway::RestApi').map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({ Name: 'Postrider-blobs', BinaryMediaTypes: ['*/*'], EndpointConfiguration: { Types: ['REGIONAL'] } }),
    ]);
  });

  test('waits for the response of an upload, and streams that of a download for at most twelve minutes', () => {
    expect(integrations).toEqual({
      '/{accountId}': {
        HttpMethod: 'ANY',
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        Uri: 'path/2015-03-31/functions/…/invocations',
        lambda: ['Postrider-uploads', 28],
      },
      '/': {
        HttpMethod: 'ANY',
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        Uri: 'path/2021-11-15/functions/…/response-streaming-invocations',
        ResponseTransferMode: 'STREAM',
        TimeoutInMillis: 720_000,
        lambda: ['Postrider-downloads', 720],
      },
    });
  });

  test('has a throttled stage for each path', () => {
    expect(ofType('AWS::ApiGateway::Stage').map(({ Properties: { StageName, MethodSettings } }) => [StageName, MethodSettings])).toEqual(
      ['upload', 'download'].map((stage) => [
        stage,
        [expect.objectContaining({ HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000, DataTraceEnabled: false })],
      ]),
    );
  });

  test('lets web clients of other origins read its own errors', () => {
    expect(
      ofType('AWS::ApiGateway::GatewayResponse').map(({ Properties: { ResponseType, ResponseParameters } }) => [ResponseType, ResponseParameters]),
    ).toEqual(['DEFAULT_4XX', 'DEFAULT_5XX'].map((type) => [type, expect.objectContaining({ 'gatewayresponse.header.access-control-allow-origin': "'*'" })]));
  });

  test('deploys every part of the API, also what no construct of the CDK adds', () => {
    const parts = resources.filter(({ Type, Properties }) => /^AWS::ApiGateway::(?!Deployment|Stage)/.test(Type) && Properties?.['RestApiId'] !== undefined);
    expect(parts.map(({ Type }) => Type)).toContain('AWS::ApiGateway::GatewayResponse');
    const [deployment, ...others] = ofType('AWS::ApiGateway::Deployment');
    expect([deployment!.DependsOn, others]).toEqual([expect.arrayContaining(parts.map(({ id }) => id)), []]);
  });

  test('is deployed again when the headers of its errors change', () => {
    const deploymentId = (...exposeHeaders: string[]): string => {
      const stack = new Stack(undefined, 'Trial');
      const lambda = Function.fromFunctionArn(stack, 'Lambda', 'arn:aws:lambda:us-east-1:000000000000:function:trial');
      new BlobApi(stack, 'Blobs', { uploads: lambda, downloads: lambda, exposeHeaders });
      return Object.keys(Template.fromStack(stack).findResources('AWS::ApiGateway::Deployment'))[0]!;
    };
    expect(deploymentId('etag')).toBe(deploymentId('etag'));
    expect(deploymentId('etag')).not.toBe(deploymentId('etag', 'retry-after'));
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['at the host name of JMAP with a custom domain', {}, 'https://jmap.example.com'],
    ['at a URL of its own without one', { hostedZoneId: undefined }, 'https://<JmapApiBlobsApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>'],
    ['behind a proxy', { hostedZoneId: undefined, publicUrls: '{"jmap":"https://mail.example.com"}' }, 'https://mail.example.com'],
  ])('is %s, in the session and in the outputs', (_, more, base) => {
    const { json, ofType: of } = synthesize({ ...everything, ...more });
    const variables = variablesOf(of('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-jmap')!);
    for (const [output, variable, path] of [
      ['uploadUrl', 'UPLOAD_URL', '/upload'],
      ['downloadUrl', 'DOWNLOAD_URL', '/download'],
    ] as const) {
      expect([json.Outputs[output]!.Value, variables[variable]].map(readable)).toEqual([base + path, base + path]);
    }
  });
});
