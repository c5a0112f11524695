import { services } from '../../contract/admin/index.ts';
import { eventSourceWait, eventSourceWaitPath } from '../../contract/jmap/push.ts';
import { everything, readable, refOf, synthesize, variablesOf } from './stack-under-test.ts';

const { ofType, json } = synthesize(everything);
const apis = Object.fromEntries(ofType('AWS::ApiGatewayV2::Api').map((api) => [String(api.Properties['Name']), api]));
const stageOf = (api: string) => ofType('AWS::ApiGatewayV2::Stage').find(({ Properties }) => refOf(Properties['ApiId']) === apis[api]!.id)!;

/** Routes of an API with the Lambda behind each. */
const routesOf = (api: string): Record<string, string> =>
  Object.fromEntries(
    ofType('AWS::ApiGatewayV2::Route')
      .filter(({ Properties }) => refOf(Properties['ApiId']) === apis[api]!.id)
      .map(({ Properties }) => {
        const integrationId = /integrations\/<?(\w+)/.exec(readable(Properties['Target']))![1]!;
        const integration = ofType('AWS::ApiGatewayV2::Integration').find(({ id }) => id.startsWith(integrationId))!;
        const { IntegrationUri, IntegrationSubtype } = integration.Properties;
        if (IntegrationSubtype !== undefined) return [String(Properties['RouteKey']), IntegrationSubtype as string];
        const lambda = ofType('AWS::Lambda::Function').find(({ id }) => JSON.stringify(IntegrationUri).includes(id))!;
        return [String(Properties['RouteKey']), String(lambda.Properties['FunctionName']).replace('Postrider-', '')];
      }),
  );

describe('the admin API', () => {
  test('routes each service to its Lambda, and all other requests to status', () => {
    expect(routesOf('Postrider-admin')).toEqual({
      ...Object.fromEntries(Object.keys(services).map((name) => [`POST /${name}/{proxy+}`, name])),
      $default: 'status',
    });
    expect(Object.keys(services)).toHaveLength(13);
  });

  test('allows the origins of the console (CORS)', () => {
    expect(apis['Postrider-admin']!.Properties['CorsConfiguration']).toEqual({
      AllowOrigins: ['https://console.example.com'],
      AllowMethods: ['POST', 'OPTIONS'],
      AllowHeaders: ['authorization', 'content-type'],
      ExposeHeaders: ['x-correlation-id', 'www-authenticate', 'retry-after'],
      MaxAge: 7200,
    });
  });
});

test('the console’s own API routes each service as the admin API does, and all other requests to the files', () => {
  expect(routesOf('Postrider-console')).toEqual({ ...routesOf('Postrider-admin'), $default: 'console' });
});

describe('the JMAP API', () => {
  test('routes each path to its Lambda, and unknown paths to discovery', () => {
    expect(routesOf('Postrider-jmap')).toEqual({
      'GET /.well-known/jmap': 'jmap',
      'POST /jmap': 'jmap',
      'GET /eventsource': 'jmap',
      ...Object.fromEntries(Array.from({ length: eventSourceWait.queues }, (_, number) => [`GET ${eventSourceWaitPath(number)}`, 'SQS-ReceiveMessage'])),
      'GET /.well-known/{proxy+}': 'discovery',
      'POST /oauth/register': 'registration',
      'ANY /forwarding': 'forwarding-confirmation',
      $default: 'discovery',
    });
  });

  test('allows any origin (CORS)', () => {
    expect(apis['Postrider-jmap']!.Properties['CorsConfiguration']).toEqual({
      AllowOrigins: ['*'],
      AllowMethods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
      AllowHeaders: ['authorization', 'content-type', 'last-event-id', 'range', 'if-range', 'if-match', 'if-none-match'],
      ExposeHeaders: ['www-authenticate', 'content-disposition', 'retry-after', 'accept-ranges', 'content-range', 'etag'],
      MaxAge: 7200,
    });
  });

  test('throttles registration and the page of forwardings at two requests a second and five at once', () => {
    const stage = stageOf('Postrider-jmap');
    const limits = { ThrottlingRateLimit: 2, ThrottlingBurstLimit: 5 };
    const settings = { 'POST /oauth/register': limits, 'ANY /forwarding': limits };
    expect(stage.Properties['RouteSettings']).toEqual(settings);
    const routes = ofType('AWS::ApiGatewayV2::Route').filter(({ Properties }) => Object.hasOwn(settings, String(Properties['RouteKey'])));
    expect(stage.DependsOn).toEqual(expect.arrayContaining(routes.map(({ id }) => id)));
  });

  test('keeps the route and the Lambda of registration when it is turned off, but not the daily sweep', () => {
    const schedules = (template: Pick<typeof json, 'Resources'>) =>
      Object.values(template.Resources).filter(({ Type, Properties }) => Type === 'AWS::Events::Rule' && Properties['Description'] === 'Sweeps app clients');
    const off = synthesize({ ...everything, dynamicRegistration: 'false' });
    expect(off.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties['RouteKey'])).toContain('POST /oauth/register');
    expect([schedules(json).length, schedules(off.json).length]).toEqual([1, 0]);
    // With another logical id CloudFormation would create a second Lambda of the same name, which fails.
    expect(ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-registration')?.id).toBe(
      'JmapApiRegistrationF14FB2E7',
    );
  });
});

describe('the API of the authorization endpoint', () => {
  test('has no CORS (RFC 9700 §2.6), and takes twenty requests a second and fifty at once', () => {
    expect(routesOf('Postrider-authorization')).toEqual({ $default: 'discovery' });
    expect(apis['Postrider-authorization']!.Properties).not.toHaveProperty('CorsConfiguration');
    expect(stageOf('Postrider-authorization').Properties['DefaultRouteSettings']).toMatchObject({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 50 });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['at the host name of JMAP with a custom domain', {}, 'https://jmap.example.com'],
    ['at a host name of its own without one', { hostedZoneId: undefined }, '<JmapApiAuthorizationApi.ApiEndpoint>'],
    ['behind a proxy', { hostedZoneId: undefined, publicUrls: '{"jmap":"https://mail.example.com"}' }, 'https://mail.example.com'],
  ])('is %s', (_, more, url) => {
    const { ofType: of } = synthesize({ ...everything, ...more });
    const discovery = of('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-discovery')!;
    expect(readable(variablesOf(discovery)['AUTHORIZATION_URL'])).toBe(url);
    const mappings = of('AWS::ApiGatewayV2::ApiMapping').filter(({ Properties }) => Properties['ApiMappingKey'] === 'oauth/authorize');
    expect(mappings).toHaveLength(url === 'https://jmap.example.com' ? 1 : 0);
  });
});

describe.each(['Postrider-admin', 'Postrider-console', 'Postrider-jmap', 'Postrider-authorization'])('%s', (api) => {
  test('is throttled and logs requests without query strings, which may hold tokens', () => {
    const { Properties } = stageOf(api);
    expect(Properties).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: expect.any(Number), ThrottlingBurstLimit: expect.any(Number) },
    });
    const { Format, DestinationArn } = Properties['AccessLogSettings'] as { Format: string; DestinationArn: { 'Fn::GetAtt': [string] } };
    expect(Object.keys(JSON.parse(Format) as object)).toContain('requestId');
    expect(Format).not.toMatch(/querystring|authorization|\$context\.authorizer/i);
    expect(json.Resources[DestinationArn['Fn::GetAtt'][0]]!.Properties['RetentionInDays']).toBe(30);
  });

  test('has no authorizer and invokes Lambdas with payload format 2.0', () => {
    for (const { Properties } of ofType('AWS::ApiGatewayV2::Route')) expect(Properties['AuthorizationType'] ?? 'NONE').toBe('NONE');
    for (const { Properties } of ofType('AWS::ApiGatewayV2::Integration').filter((each) => refOf(each.Properties['ApiId']) === apis[api]!.id)) {
      expect(Properties['PayloadFormatVersion']).toBe(Properties['IntegrationSubtype'] === undefined ? '2.0' : '1.0');
    }
  });
});

describe('the WebSocket API', () => {
  test('routes $connect to web-socket, which checks the token, and frames to jmap', () => {
    expect(routesOf('Postrider-web-socket')).toEqual({ $connect: 'web-socket', $disconnect: 'web-socket', $default: 'jmap' });
  });

  test('returns the Lambda’s response to a frame to the client', () => {
    const route = ofType('AWS::ApiGatewayV2::Route').find(({ Properties }) => Properties['RouteResponseSelectionExpression'])!;
    expect(route.Properties['RouteKey']).toBe('$default');
    expect(ofType('AWS::ApiGatewayV2::RouteResponse').map(({ Properties }) => [Properties['RouteId'], Properties['RouteResponseKey']])).toEqual([
      [{ Ref: route.id }, '$default'],
    ]);
  });

  test('is throttled', () => {
    expect(stageOf('Postrider-web-socket').Properties).toMatchObject({
      StageName: 'jmap',
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
    });
  });

  test('has no access log: URLs hold tokens of browsers, and frames hold mail', () => {
    const { AccessLogSettings, DefaultRouteSettings } = stageOf('Postrider-web-socket').Properties;
    expect(AccessLogSettings).toBeUndefined();
    expect(DefaultRouteSettings).not.toHaveProperty('DataTraceEnabled');
    expect(DefaultRouteSettings).not.toHaveProperty('LoggingLevel');
  });
});

test('only API Gateway, Cognito and EventBridge may invoke Lambdas, each for one source ARN', () => {
  for (const { Properties } of ofType('AWS::Lambda::Permission')) {
    expect(['apigateway.amazonaws.com', 'cognito-idp.amazonaws.com', 'events.amazonaws.com']).toContain(Properties['Principal']);
    expect(Properties).toHaveProperty('SourceArn');
  }
});
