import { downloadQuery } from '../../../../contract/jmap/blob.ts';
import { fromRestApi } from '../../../../core/runtime/http/rest-api.ts';
import { downloadRequest } from '../../../support/blob-requests.ts';

type Passing = { readonly encodes: boolean; readonly splits: boolean };

/** The query of a download as a client writes it, and the request of a Lambda behind a REST API that passes it on in this way. */
const passed = (values: Readonly<Record<string, string>>, { encodes, splits }: Passing) => {
  const query = downloadQuery.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const parts = query.split(splits ? /&|;|%3B/i : '&').filter((part) => part !== '');
  const parameters = new URLSearchParams(parts.map((part) => (encodes ? part.replaceAll('%25', '%2525') : part)).join('&'));
  return { query, request: fromRestApi(downloadRequest(Object.fromEntries(parameters), {}), '/download') };
};

const ways: readonly Passing[] = [false, true].flatMap((encodes) => [false, true].map((splits) => ({ encodes, splits })));

describe.each(ways)('a query behind a REST API that does %j', (way) => {
  test.each([
    ['100% ;|é.pdf', 'application/pdf'],
    ['100%25.txt', 'text/plain'],
    ['a;b=c;d.pdf', 'text/plain; charset=utf-8; format=flowed'],
    ['; charset=utf-8', 'text/plain'],
    ['%3B%25.txt', ''],
    ['x.txt;', 'text/plain;charset="utf-8"'],
    ['2024;1.txt;accounts', 'text/plain'],
    ['a;type=b/c;accountId=d;name=e.txt', 'text/plain'],
    ['Grüße & mehr=1+1?.txt', 'text/plain'],
  ])('has the name %j and the type %j', (name, type) => {
    const values = { accountId: 'acc_alice', blobId: 'U1', type, name };
    const { query, request } = passed(values, way);
    // What follows a last ; is nothing, which a split loses.
    const expected = way.splits ? { ...values, name: name.replace(/;$/, '') } : values;
    expect(request.queryStringParameters).toEqual({ ...expected, encoding: '%;' });
    if (expected.name === name) expect(request.rawQueryString).toBe(query.replaceAll(/['()*!]/g, encodeURIComponent));
  });
});

test('a query without the last parameter of downloadUrl, as of an older session, is taken as it arrives', () => {
  const { queryStringParameters } = fromRestApi(downloadRequest({ accountId: 'a', name: '100%25', x: '' }, {}), '/download');
  expect(queryStringParameters).toEqual({ accountId: 'a', name: '100%25', x: '' });
});
