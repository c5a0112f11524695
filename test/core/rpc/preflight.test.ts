import type { HttpRequest } from '../../../core/runtime/http/http.ts';
import { discoveryHandler } from '../../../lambdas/discovery/discovery-handler.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { adminApi, httpEvent } from '../../support/admin-api.ts';

/** The preflight request that a browser sends before a call from another origin. It has no token. */
const preflight = (path: string, headers: Record<string, string>): HttpRequest => {
  return { ...httpEvent(path, '', { verb: 'OPTIONS' }), headers };
};
const asking = { origin: 'https://console.example.com', 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

const untouched = () => Promise.reject(new Error('the identity provider is not called'));
const discovery = discoveryHandler({
  deployment: {
    jmapUrl: 'https://jmap.example.com',
    authorizationUrl: 'https://jmap.example.com',
    authUrl: 'https://auth.example.com',
    cliClientId: 'cli',
    dynamicRegistration: false,
  },
  authorizationApiId: 'authorization',
  readProviderMetadata: untouched,
  log: memoryLog(),
});

describe('a preflight request that API Gateway hands on', () => {
  test.each(['/domains/AddDomain', '/status/Ping', '/nothing'])('succeeds without a token: admin %s', async (path) => {
    const { handlers } = await adminApi();
    expect(await handlers.status(preflight(path, asking))).toEqual({ statusCode: 204 });
  });

  // @pitfall http preflight
  test.each(['/jmap', '/upload/acc_1', '/.well-known/jmap', '/nothing'])('succeeds without a token: JMAP %s', async (path) => {
    expect(await discovery(preflight(path, asking))).toEqual({ statusCode: 204 });
  });

  test.each([{}, { origin: 'https://console.example.com' }, { 'access-control-request-method': 'POST' }])(
    'OPTIONS with %j is none, and is answered like any other verb',
    async (headers) => {
      const { handlers } = await adminApi();
      expect(await handlers.status(preflight('/domains/AddDomain', headers as Record<string, string>))).toMatchObject({ statusCode: 401 });
      expect(await discovery(preflight('/jmap', headers as Record<string, string>))).toMatchObject({ statusCode: 404 });
    },
  );
});
