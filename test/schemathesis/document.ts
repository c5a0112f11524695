import { openApiDocument, type OpenApiDocument } from '../../contract/reference/openapi.ts';

type Operation = { readonly responses: { readonly [status: string]: unknown } };

const withoutDefaultResponse = ({ responses, ...operation }: Operation) => ({
  ...operation,
  responses: Object.fromEntries(Object.entries(responses).filter(([status]) => status !== 'default')),
});

/**
 * The OpenAPI document without the `default` responses, which describe gateways and proxies and would allow any
 * response.
 */
export const strictDocument = (url: string): OpenApiDocument => {
  const document = openApiDocument({ url, version: '0' });
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [path, { ...item, post: withoutDefaultResponse(item['post'] as Operation) }]),
    ),
  };
};
