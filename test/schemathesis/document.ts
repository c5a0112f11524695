import { openApiDocument, type OpenApiDocument } from '../../contract/openapi.ts';

type Operation = { readonly responses: { readonly [status: string]: unknown } };

const withoutOtherAnswers = ({ responses, ...operation }: Operation) => ({
  ...operation,
  responses: Object.fromEntries(Object.entries(responses).filter(([status]) => status !== 'default')),
});

/**
 * The document as it holds the API to its word: `default`, which stands for what gateways and proxies may answer,
 * allows anything and is left out.
 */
export const strictDocument = (url: string): OpenApiDocument => {
  const document = openApiDocument({ url, version: '0' });
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [path, { ...item, post: withoutOtherAnswers(item['post'] as Operation) }]),
    ),
  };
};
