import { matchRoute } from '../../../../sandbox/services/gateway/route-matching.ts';

const routes = ['$default', 'ANY /{proxy+}', 'GET /.well-known/{proxy+}', 'GET /.well-known/jmap', 'POST /upload/{accountId}', 'ANY /jmap', 'POST /jmap'];

describe('the route of a request', () => {
  test.each([
    ['POST', '/jmap', 'POST /jmap'],
    ['PUT', '/jmap', 'ANY /jmap'],
    ['GET', '/.well-known/jmap', 'GET /.well-known/jmap'],
    ['GET', '/.well-known/oauth/more', 'GET /.well-known/{proxy+}'],
    ['POST', '/upload/a-1', 'POST /upload/{accountId}'],
    ['POST', '/upload/a-1/b', 'ANY /{proxy+}'],
    ['GET', '/', '$default'],
  ])('%s %s matches %s', (method, path, route) => {
    expect(matchRoute(routes, method, path)).toBe(route);
  });

  test('matches a dot in a path literally', () => {
    expect(matchRoute(['GET /.well-known/jmap'], 'GET', '/xwell-known/jmap')).toBeUndefined();
  });
});
