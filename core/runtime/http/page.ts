import type { HttpResponse } from './http.ts';

/** Headers of responses that neither caches nor other sites may see. */
export const uncached = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** A page in words, without scripts. @param paragraphs HTML. @param form HTML of a form that this server receives. */
export const page = (statusCode: number, title: string, paragraphs: readonly string[], form?: string): HttpResponse => ({
  statusCode,
  headers: {
    ...uncached,
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action '${form === undefined ? 'none' : 'self'}'`,
  },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem }</style>
<h1>${title}</h1>
${[...paragraphs.map((paragraph) => `<p>${paragraph}</p>`), ...(form === undefined ? [] : [form])].join('\n')}
</html>
`,
});
