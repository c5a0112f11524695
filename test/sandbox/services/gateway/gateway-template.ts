import { getAtt, lambda, ref } from '../../../support/test-emulator.ts';

/** The endpoints of a gateway, each with a separate port. */
export const endpointNames = ['admin', 'console', 'webmail', 'jmap', 'webSocket', 'auth', 'identityProvider'] as const;

const echo = `
exports.handler = async (event) => {
  const { routeKey, http, connectionId } = event.requestContext;
  if (routeKey === '$connect') {
    return event.queryStringParameters?.access_token === 'good' ? { statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'jmap' } } : { statusCode: 401 };
  }
  if (connectionId) return { statusCode: 200, body: event.body };
  if (event.rawPath === '/download') {
    return { statusCode: 200, headers: { 'content-type': 'application/octet-stream' }, isBase64Encoded: true, body: Buffer.from([0, 255, 128, 10]).toString('base64') };
  }
  const { rawPath: path, rawQueryString: query, headers, body = '' } = event;
  return { statusCode: 200, headers: { 'x-answer': 'from the lambda' }, body: JSON.stringify({ method: http.method, path, query, headers, body, route: routeKey }) };
};`;

const cors = { AllowOrigins: ['*'], AllowMethods: ['GET', 'POST'], AllowHeaders: ['authorization', 'content-type'], MaxAge: 600 };

const api = (name: string, protocol: 'HTTP' | 'WEBSOCKET', routeKeys: readonly string[], stage: object): Record<string, object> => ({
  [name]: {
    Type: 'AWS::ApiGatewayV2::Api',
    Properties: {
      Name: name,
      ProtocolType: protocol,
      ...(protocol === 'HTTP' ? { CorsConfiguration: cors } : { RouteSelectionExpression: '$request.body.route' }),
    },
  },
  [`${name}Integration`]: {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: {
      ApiId: ref(name),
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: getAtt('Echo', 'Arn'),
      PayloadFormatVersion: protocol === 'HTTP' ? '2.0' : '1.0',
    },
  },
  ...Object.fromEntries(
    routeKeys.map((RouteKey, index) => [
      `${name}Route${index}`,
      {
        Type: 'AWS::ApiGatewayV2::Route',
        Properties: {
          ApiId: ref(name),
          RouteKey,
          Target: { 'Fn::Join': ['', ['integrations/', ref(`${name}Integration`)]] },
          ...(protocol === 'WEBSOCKET' ? { RouteResponseSelectionExpression: '$default' } : {}),
        },
      },
    ]),
  ),
  [`${name}Stage`]: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { ApiId: ref(name), AutoDeploy: true, ...stage } },
});

/**
 * A stack like Postrider's: three APIs with one Lambda that returns its event, and a user pool with a public client.
 */
export const template = {
  Resources: {
    ...lambda('Echo', echo),
    ...api('AdminApi', 'HTTP', ['POST /status/{proxy+}', '$default'], { StageName: '$default' }),
    ...api('JmapApi', 'HTTP', ['POST /jmap', 'POST /upload/{accountId}', 'GET /download'], { StageName: '$default' }),
    ...api('SocketApi', 'WEBSOCKET', ['$connect', '$default'], { StageName: 'live' }),
    Answer: {
      Type: 'AWS::ApiGatewayV2::RouteResponse',
      Properties: { ApiId: ref('SocketApi'), RouteId: ref('SocketApiRoute1'), RouteResponseKey: '$default' },
    },
    Pool: { Type: 'AWS::Cognito::UserPool', Properties: { UsernameAttributes: ['email'], AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } } },
    Domain: { Type: 'AWS::Cognito::UserPoolDomain', Properties: { UserPoolId: ref('Pool'), Domain: 'trial' } },
    Client: {
      Type: 'AWS::Cognito::UserPoolClient',
      Properties: {
        UserPoolId: ref('Pool'),
        GenerateSecret: false,
        EnableTokenRevocation: true,
        AllowedOAuthFlowsUserPoolClient: true,
        AllowedOAuthFlows: ['code'],
        AllowedOAuthScopes: ['openid'],
        CallbackURLs: ['http://localhost:8976/callback'],
        SupportedIdentityProviders: ['COGNITO'],
        ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH', 'ALLOW_USER_SRP_AUTH'],
      },
    },
  },
  Outputs: { pool: { Value: ref('Pool') }, client: { Value: ref('Client') }, jmapApi: { Value: ref('JmapApi') } },
};
