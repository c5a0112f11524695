/** How specific a route is: methods before ANY, plain paths before variables before `{proxy+}`. */
const rank = (routeKey: string): number =>
  (routeKey.includes('+}') ? 1000 : 0) + 10 * (routeKey.match(/\{/g)?.length ?? 0) + (routeKey.startsWith('ANY ') ? 1 : 0);

const patternOf = (path: string): RegExp => {
  const pattern = path.replaceAll(/\{[^}]+\+\}|\{[^}]+\}|[.*+?^$()|[\]\\]/g, (part) => {
    if (part.endsWith('+}')) return '.+';
    return part.startsWith('{') ? '[^/]+' : `\\${part}`;
  });
  return new RegExp(`^${pattern}/?$`);
};

/**
 * The route of an HTTP API that takes a request, by API Gateway's order: a full match, a path variable, a greedy one, `$default`.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export const routeFor = (routeKeys: readonly string[], method: string, path: string): string | undefined => {
  const taking = routeKeys.filter((key) => {
    const [ofMethod, ofPath] = key.split(' ');
    return ofPath !== undefined && (ofMethod === 'ANY' || ofMethod === method) && patternOf(ofPath).test(path);
  });
  const [best] = taking.sort((one, other) => rank(one) - rank(other));
  return best ?? routeKeys.find((key) => key === '$default');
};
