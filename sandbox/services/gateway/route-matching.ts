/**
 * The rank of a route. More specific routes have a lower rank: methods before ANY, literal paths before variables
 * before `{proxy+}`.
 */
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
 * The route of an HTTP API for a request, by API Gateway's priorities: full match, path variable, greedy variable,
 * `$default`.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export const matchRoute = (routeKeys: readonly string[], method: string, path: string): string | undefined => {
  const matching = routeKeys.filter((key) => {
    const [ofMethod, ofPath] = key.split(' ');
    return ofPath !== undefined && (ofMethod === 'ANY' || ofMethod === method) && patternOf(ofPath).test(path);
  });
  const [best] = matching.sort((one, other) => rank(one) - rank(other));
  return best ?? routeKeys.find((key) => key === '$default');
};
