import { everything, readable, refOf, synthesize, variablesOf } from '../stack-under-test.ts';

const outputs = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(synthesize(values).json.Outputs).map(([name, { Value }]) => [name, readable(Value)]));

describe('custom domains', () => {
  test.each([
    ['without a prefix', {}, ['api.example.com', 'console.example.com', 'mail.example.com', 'jmap.example.com', 'ws.example.com']],
    [
      'with a prefix, between the first label and the domain',
      { prefix: 'staging' },
      ['api.staging.example.com', 'console.staging.example.com', 'mail.staging.example.com', 'jmap.staging.example.com', 'ws.staging.example.com'],
    ],
  ])('%s', (_, more, names) => {
    const { ofType } = synthesize({ ...everything, ...more });
    expect(ofType('AWS::ApiGatewayV2::DomainName').map(({ Properties }) => Properties['DomainName'])).toEqual(names);
    const records = ofType('AWS::Route53::RecordSet').map(
      ({ Properties }) => `${String(Properties['Type'])} ${String(Properties['Name'])} ${String(Properties['HostedZoneId'])}`,
    );
    expect(records.sort()).toEqual(names.flatMap((name) => ['A', 'AAAA'].map((type) => `${type} ${name}. Z0123456789ABCDEFGHIJ`)).sort());
    expect(outputs({ ...everything, ...more })).toMatchObject({
      adminApiUrl: `https://${names[0]}`,
      consoleUrl: `https://${names[1]}`,
      webmailUrl: `https://${names[2]}`,
      jmapUrl: `https://${names[3]}`,
      webSocketUrl: `wss://${names[4]}`,
    });
  });

  test('maps each name to its API, with A and AAAA records', () => {
    const { ofType, json } = synthesize(everything);
    const mapped = ofType('AWS::ApiGatewayV2::ApiMapping').map(({ Properties }) => [
      json.Resources[refOf(Properties['DomainName'])]!.Properties['DomainName'],
      json.Resources[refOf(Properties['ApiId'])]!.Properties['Name'],
      Properties['ApiMappingKey'],
    ]);
    expect(mapped).toEqual([
      ['api.example.com', 'Postrider-admin', undefined],
      ['console.example.com', 'Postrider-console', undefined],
      ['mail.example.com', 'Postrider-webmail', undefined],
      ['jmap.example.com', 'Postrider-jmap', undefined],
      ['jmap.example.com', 'Postrider-blobs', 'upload'],
      ['jmap.example.com', 'Postrider-blobs', 'download'],
      ['jmap.example.com', 'Postrider-authorization', 'oauth/authorize'],
      ['ws.example.com', 'Postrider-web-socket', undefined],
    ]);
  });

  test('have one certificate, validated in the hosted zone, and need TLS 1.2', () => {
    const { ofType } = synthesize(everything);
    expect(ofType('AWS::CertificateManager::Certificate').map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({
        DomainName: 'api.example.com',
        SubjectAlternativeNames: ['console.example.com', 'mail.example.com', 'jmap.example.com', 'ws.example.com'],
        ValidationMethod: 'DNS',
        DomainValidationOptions: ['api', 'console', 'mail', 'jmap', 'ws'].map((label) => ({
          DomainName: `${label}.example.com`,
          HostedZoneId: 'Z0123456789ABCDEFGHIJ',
        })),
      }),
    ]);
    for (const { Properties } of ofType('AWS::ApiGatewayV2::DomainName')) {
      expect(Properties['DomainNameConfigurations']).toEqual([expect.objectContaining({ SecurityPolicy: 'TLS_1_2', EndpointType: 'REGIONAL' })]);
    }
  });
});

test('the web mail has another host name by webmailHost, and none by webmail=false, which leaves out all of it', () => {
  expect(outputs({ ...everything, webmailHost: 'post' })).toMatchObject({ webmailUrl: 'https://post.example.com' });
  const without = { ...everything, webmail: 'false' };
  expect(Object.keys(outputs(without)).filter((name) => /webmail/i.test(name))).toEqual([]);
  expect(JSON.stringify(synthesize(without).json)).not.toMatch(/mail\.example\.com|Postrider-webmail/);
});

describe('without a hosted zone', () => {
  test('there are no custom domains, and the outputs have API Gateway’s URLs', () => {
    const { ofType } = synthesize({ domain: 'example.com' });
    for (const type of ['AWS::ApiGatewayV2::DomainName', 'AWS::CertificateManager::Certificate', 'AWS::Route53::RecordSet']) {
      expect(ofType(type)).toEqual([]);
    }
    expect(outputs({ domain: 'example.com' })).toMatchObject({
      adminApiUrl: '<AdminApiEndpointApi.ApiEndpoint>',
      webmailUrl: '<WebmailEndpointApi.ApiEndpoint>',
      jmapUrl: '<JmapApiEndpointApi.ApiEndpoint>',
      webSocketUrl: 'wss://<WebSocketApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>/jmap',
    });
  });
});

describe('publicUrls', () => {
  const publicUrls = {
    adminApi: 'https://admin.example.net',
    jmap: 'https://mail.example.net',
    webSocket: 'wss://mail.example.net/push',
    auth: 'https://login.example.net',
  };

  test('replace the URLs of AWS in the outputs and in the Lambdas’ environment', () => {
    const values = { ...everything, publicUrls: JSON.stringify(publicUrls) };
    expect(outputs(values)).toMatchObject({
      adminApiUrl: publicUrls.adminApi,
      jmapUrl: publicUrls.jmap,
      webSocketUrl: publicUrls.webSocket,
      authUrl: publicUrls.auth,
    });
    const lambdas = synthesize(values).ofType('AWS::Lambda::Function');
    const variables = (name: string) => variablesOf(lambdas.find(({ Properties }) => Properties['FunctionName'] === `Postrider-${name}`)!);
    expect(variables('jmap')).toMatchObject({ JMAP_URL: publicUrls.jmap, WEB_SOCKET_URL: publicUrls.webSocket });
    expect(variables('discovery')).toMatchObject({ AUTH_URL: publicUrls.auth, JMAP_URL: publicUrls.jmap });
  });

  test('keep the hosted sign-in’s domain', () => {
    expect(synthesize({ domain: 'example.com', publicUrls: JSON.stringify(publicUrls) }).ofType('AWS::Cognito::UserPoolDomain')).toHaveLength(1);
  });
});

describe('the SRV target of JMAP', () => {
  const jmapServer = (values: Readonly<Record<string, unknown>>): string => {
    const domains = synthesize({ domain: 'example.com', ...values })
      .ofType('AWS::Lambda::Function')
      .find(({ Properties }) => Properties['FunctionName'] === 'Postrider-domains')!;
    return readable((domains.Properties['Environment'] as { Variables: Record<string, unknown> }).Variables['JMAP_SERVER']);
  };
  test.each<[string, Record<string, unknown>, string]>([
    ['the custom domain', { hostedZoneId: 'Z0123456789ABCDEFGHIJ', prefix: 'staging' }, 'jmap.staging.example.com:443'],
    ['the host of a proxy', { publicUrls: '{"jmap":"https://mail.example.net"}' }, 'mail.example.net:443'],
    ['its port', { publicUrls: '{"jmap":"https://mail.example.net:8443/path"}' }, 'mail.example.net:8443'],
    ['the name by rule for an address', { publicUrls: '{"jmap":"https://192.0.2.1"}' }, 'jmap.example.com:443'],
    ['the name by rule for an IPv6 address', { publicUrls: '{"jmap":"https://[2001:db8::1]:8443"}' }, 'jmap.example.com:443'],
    ['the name by rule where there is no https', { publicUrls: '{"jmap":"http://mail.example.net"}', prefix: 'staging' }, 'jmap.staging.example.com:443'],
  ])('is %s', (_, values, server) => {
    expect(jmapServer(values)).toBe(server);
  });
  test('is API Gateway’s host name without publicUrls and custom domains', () => {
    expect(jmapServer({})).toContain('JmapApiEndpointApi');
    expect(jmapServer({})).toMatch(/:443$/);
  });
});

test('two stacks of one account have no resource name in common', () => {
  const namesIn = (stackName: string) => {
    const { resources } = synthesize({ ...everything, hostedZoneId: undefined, stackName });
    return resources.flatMap(({ Type, Properties }) =>
      Object.entries(Properties ?? {})
        .filter(
          ([key, value]) => typeof value === 'string' && /^(Function|LogGroup|RuleSet|UserPool)?Name$/.test(key) && !/Client|ResourceServer|Stage/.test(Type),
        )
        .map(([, value]) => `${Type} ${String(value)}`),
    );
  };
  const [one, two] = [namesIn('Postrider'), namesIn('PostriderStaging')];
  expect(one.length).toBeGreaterThan(40);
  expect(one.filter((name) => two.includes(name))).toEqual([]);
});
