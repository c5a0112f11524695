import { coreLimits, searchLimits, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { jmapDeployment, type Call, type JmapDeployment, type Json } from '../jmap-deployment.ts';

describe('SearchSnippet/get', () => {
  let deployment: JmapDeployment;
  let [invoice, newsletter, unrelated]: string[] = [];
  beforeAll(async () => {
    deployment = await jmapDeployment();
    invoice = await deployment.deliver({
      id: 'invoice',
      raw:
        'From: Shop <shop@example.net>\nSubject: Invoice <42> & café\nContent-Type: text/plain; charset=utf-8\n\n' +
        `Dear Alice,\n\nplease pay the invoice\nof the Café & bar. ${'More words follow. '.repeat(50)}`,
    });
    newsletter = await deployment.deliver({
      id: 'newsletter',
      raw:
        'Subject: News\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html; charset=utf-8\n\n' +
        '<style>.invoice {}</style><h1>Our <b>cof</b>fee</h1><p title="invoice">A coffee &lt;house&gt; in Wien.</p>\n' +
        '--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=notes.txt\n\nAttached notes about tea.\n--b--\n',
    });
    unrelated = await deployment.deliver({ id: 'unrelated', raw: 'Subject: Other\n\nNothing of that.\n' });
  });

  const snippets = async (filter: Json | null, emailIds: readonly (string | undefined)[] = [invoice, newsletter, unrelated]) =>
    deployment.call('SearchSnippet/get', { filter, emailIds });
  const snippetOf = async (filter: Json | null, id: string | undefined): Promise<Json> => {
    const {
      list: [snippet],
    } = await snippets(filter, [id]);
    return snippet as Json;
  };

  // @requirement 8621 §5 snippet-mark
  test('marks the matches in subject and body, and escapes all else', async () => {
    expect(await snippets({ text: 'cafe invoice' }, [invoice])).toEqual({
      accountId: 'acc_alice',
      list: [
        {
          emailId: invoice,
          subject: '<mark>Invoice</mark> &lt;42&gt; &amp; <mark>café</mark>',
          preview: expect.stringMatching(
            /^Dear Alice, please pay the <mark>invoice<\/mark> of the <mark>Café<\/mark> &amp; bar\. (?:More words follow\. )+More words…$/,
          ) as string,
        },
      ],
      notFound: null,
    });
  });

  // @requirement 8621 §5 snippet-size
  test('has previews of at most 255 octets', async () => {
    const { preview } = await snippetOf({ text: 'invoice' }, invoice);
    expect(Buffer.byteLength(preview as string)).toBeLessThanOrEqual(255);
  });

  test('marks words, phrases and prefixes as Email/query matches them', async () => {
    expect((await snippetOf({ body: '"the invoice of"' }, invoice))['preview']).toContain('pay <mark>the invoice of</mark> the');
    expect((await snippetOf({ body: 'inv*' }, invoice))['preview']).toContain('<mark>invoice</mark>');
    expect((await snippetOf({ body: 'inv' }, invoice))['preview']).toBeNull();
    expect((await snippetOf({ body: '"invoice please"' }, invoice))['preview']).toBeNull();
  });

  test('has a subject or a preview for each Email that Email/query finds, and for no other when it searches one word', async () => {
    const searched = ['café', 'CAFE', 'inv*', '"the invoice of"', '"invoice the"', 'wien tea', 'title', 'of', 'news', '42', 'coffee house', '?'];
    let matches = 0;
    for (const text of searched) {
      const words = [...text.matchAll(/"[^"]+"|\S+/g)].map(([word]) => word);
      for (const condition of ['text', 'subject', 'body']) {
        const filter = { operator: 'AND', conditions: words.map((word) => ({ [condition]: word })) };
        const ids = (await deployment.call('Email/query', { filter }))['ids'] as string[];
        const list = (await snippets(filter))['list'] as Json[];
        const marked = list.filter(({ subject, preview }) => subject !== null || preview !== null).map(({ emailId }) => emailId as string);
        expect([text, condition, ids.filter((id) => !marked.includes(id))]).toEqual([text, condition, []]);
        if (words.length === 1) expect([text, condition, marked.toSorted()]).toEqual([text, condition, ids.toSorted()]);
        matches += ids.length;
      }
    }
    expect(matches).toBeGreaterThan(12);
  });

  test('has the visible text of HTML', async () => {
    const { preview } = await snippetOf({ text: 'coffee wien invoice' }, newsletter);
    expect(preview).toBe('Our <mark>coffee</mark> A <mark>coffee</mark> &lt;house&gt; in <mark>Wien</mark>.');
  });

  test('has the text of a text attachment when the body does not match', async () =>
    expect((await snippetOf({ text: 'tea' }, newsletter))['preview']).toBe('Attached notes about <mark>tea</mark>.'));

  // @requirement 8621 §5 snippet-null
  test('is null where nothing matches', async () => {
    expect(await snippetOf({ text: 'invoice' }, unrelated)).toEqual({ emailId: unrelated, subject: null, preview: null });
    expect(await snippetOf({ subject: 'invoice' }, invoice)).toMatchObject({ subject: expect.any(String) as string, preview: null });
    expect(await snippetOf({ body: 'invoice' }, invoice)).toMatchObject({ subject: null, preview: expect.any(String) as string });
  });

  test('is null for a filter without a text for subject or body, and reads nothing', async () => {
    const trips = await deployment.tripsOf(async () => {
      for (const filter of [null, {}, { minSize: 1 }, { text: '' }, { from: 'shop' }]) {
        expect((await snippets(filter))['list']).toEqual([invoice, newsletter, unrelated].map((emailId) => ({ emailId, subject: null, preview: null })));
      }
    });
    expect(trips).toBeLessThanOrEqual(2 * 5);
  });

  test('marks the conditions below AND and OR, and none below NOT', async () => {
    const filter = {
      operator: 'AND',
      conditions: [
        { operator: 'OR', conditions: [{ subject: 'cafe' }, { text: 'nowhere' }] },
        { operator: 'NOT', conditions: [{ text: 'invoice' }] },
      ],
    };
    expect(await snippetOf(filter, invoice)).toMatchObject({ subject: 'Invoice &lt;42&gt; &amp; <mark>café</mark>', preview: null });
  });

  // @requirement 8621 §5.1 snippet-not-found
  test('lists the ids that are no Email of the account in notFound, and each id once', async () => {
    const other = await deployment.deliver({ accountId: 'acc_bob', id: 'other' });
    const { list, notFound } = await snippets({ text: 'invoice' }, [unrelated, 'Mnope', invoice, other, invoice, 'Mnope']);
    expect(list.map(({ emailId }: Json) => emailId as string)).toEqual([unrelated, invoice]);
    expect(notFound).toEqual(['Mnope', other]);
  });

  test('takes the ids of an Email/query in the same request', async () => {
    const reference = { resultOf: 'q', name: 'Email/query', path: '/ids' };
    const [, [, { list }]] = (await deployment.perform([
      ['Email/query', { accountId: 'acc_alice' }, 'q'],
      ['SearchSnippet/get', { accountId: 'acc_alice', filter: { text: 'tea' }, '#emailIds': reference }, 's'],
    ])) as unknown as [unknown, [string, Json]];
    expect(list.filter(({ preview }: Json) => preview !== null).map(({ emailId }: Json) => emailId as string)).toEqual([newsletter]);
  });

  // @requirement 8621 §5.1 snippet-too-large
  // @requirement 8621 §5.1 snippet-unsupported-filter
  test.each<[string, Json, string]>([
    ['an unknown condition', { filter: { nope: 1 }, emailIds: [] }, 'unsupportedFilter'],
    ['a text of too many words', { filter: { text: 'w '.repeat(searchLimits.maxSearchTerms + 1) }, emailIds: [] }, 'unsupportedFilter'],
    ['a condition of another type', { filter: { text: 1 }, emailIds: [] }, 'invalidArguments'],
    ['emailIds that are missing', { filter: null }, 'invalidArguments'],
    ['emailIds that are null', { filter: null, emailIds: null }, 'invalidArguments'],
    ['too many emailIds', { filter: null, emailIds: Array.from({ length: coreLimits.maxObjectsInGet + 1 }, () => 'M') }, 'requestTooLarge'],
    ['an unknown argument', { filter: null, emailIds: [], properties: [] }, 'invalidArguments'],
    ['an account of another person', { accountId: 'acc_bob', filter: null, emailIds: [] }, 'accountNotFound'],
  ])('fails for %s', async (_what, args, type) => expect(await deployment.call('SearchSnippet/get', args)).toMatchObject({ type }));

  test('is read for a page of Emails that forward large messages', async () => {
    const forward =
      `Subject: Forward\nContent-Type: message/rfc822\n\nSubject: Inner\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nA walrus.\n` +
      `--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n${'A'.repeat(1_500_000)}\n--b--\n`;
    const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => deployment.deliver({ id: `forward${index}`, raw: forward })));
    expect((await snippets({ body: 'walrus' }, ids))['list']).toEqual(ids.map((emailId) => ({ emailId, subject: null, preview: 'A <mark>walrus</mark>.' })));
  });

  test('reads a limited number of octets of raw messages in a request', async () => {
    const own = await jmapDeployment();
    const half = unadvertisedLimits.maxRawOctetsInRequest / 4 / 2 / 3_000_000;
    const ids: string[] = [];
    for (let index = 0; index < Math.ceil(half); index += 1) {
      ids.push(await own.deliver({ raw: `Subject: s\n\n${'word '.repeat(600_000)}` }));
    }
    const call = (id: string): Call => ['SearchSnippet/get', { accountId: 'acc_alice', filter: { body: 'other' }, emailIds: ids }, id];
    const responses = await own.perform([call('a'), call('b'), call('c')]);
    expect(responses.map(([, { type }]) => type as string)).toEqual([undefined, 'requestTooLarge', 'requestTooLarge']);
  });
});
