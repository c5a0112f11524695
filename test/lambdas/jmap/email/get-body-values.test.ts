import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const alternative = (text: string, html: string) => `Subject: x
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8

${text}
--b
Content-Type: text/html; charset=utf-8

${html}
--b--
`;

describe('bodyValues of Email/get', () => {
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment();
  });
  /** The body values of a message, by the media types of their parts. */
  const valuesOf = async (raw: string | Buffer, args: Json): Promise<Record<string, Json>> => {
    const id = await deployment.deliver({ raw });
    const { list } = await deployment.call('Email/get', {
      ids: [id],
      properties: ['bodyValues', 'bodyStructure'],
      bodyProperties: ['partId', 'type', 'subParts'],
      ...args,
    });
    const { bodyValues, bodyStructure } = list[0] as Json;
    const parts: Json[] = bodyStructure.subParts ?? [bodyStructure];
    return Object.fromEntries(
      Object.entries(bodyValues as Json).map(([partId, value]) => [parts.find((part) => part['partId'] === partId)!['type'], value as Json]),
    );
  };
  const all = { fetchAllBodyValues: true };

  // @requirement 8621 §4.2 get-body-values
  test('contain the parts that the fetch…BodyValues arguments select; {} without them', async () => {
    const raw = alternative('Text', '<p>HTML</p>');
    expect(await valuesOf(raw, {})).toEqual({});
    expect(Object.keys(await valuesOf(raw, { fetchTextBodyValues: true }))).toEqual(['text/plain']);
    expect(Object.keys(await valuesOf(raw, { fetchHTMLBodyValues: true }))).toEqual(['text/html']);
    expect(Object.keys(await valuesOf(raw, all)).sort()).toEqual(['text/html', 'text/plain']);
  });

  // @requirement 8621 §4.1.4 body-values
  // @pitfall get line-ends
  test('are decoded and have line feeds as line ends', async () => {
    const raw = 'Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe=\n!\nZeile 2\n';
    expect(await valuesOf(raw, all)).toEqual({ 'text/plain': { value: 'Grüße!\nZeile 2\n', isEncodingProblem: false, isTruncated: false } });
  });

  // @requirement 8621 §4.1.4 body-value-problem
  // @pitfall get encoding-problem
  // @pitfall get unknown-charset
  test('report an encoding problem when the charset is unknown or the octets do not match it', async () => {
    expect(await valuesOf('Content-Type: text/plain; charset=klingon\n\nHello\n', all)).toMatchObject({
      'text/plain': { value: 'Hello\n', isEncodingProblem: true },
    });
    expect(await valuesOf(Buffer.from('Content-Type: text/plain; charset=utf-8\r\n\r\nGr\xfc\xdfe\r\n', 'latin1'), all)).toMatchObject({
      'text/plain': { isEncodingProblem: true },
    });
  });

  // @requirement 8621 §4.2 get-truncate
  // @pitfall get truncated-character
  test('are truncated to maxBodyValueBytes, not within a character', async () => {
    const { 'text/plain': { value, isTruncated } = {} } = await valuesOf(alternative('üüüüüüüü', 'x'), { fetchTextBodyValues: true, maxBodyValueBytes: 5 });
    expect([value, isTruncated]).toEqual(['üü', true]);
  });

  // @requirement 8621 §4.2 get-truncate-tag
  // @pitfall get truncated-tag
  test('are truncated before an HTML tag that does not fit', async () => {
    const { 'text/html': { value, isTruncated } = {} } = await valuesOf(alternative('x', '<p>Hello</p><img src="x">'), {
      fetchHTMLBodyValues: true,
      maxBodyValueBytes: 15,
    });
    expect([value, isTruncated]).toEqual(['<p>Hello</p>', true]);
  });

  test('of a long text: only the returned octets are read', async () => {
    const read: number[] = [];
    const get = deployment.objects.get.bind(deployment.objects);
    deployment.jmap.dependencies.objects.get = async (key, range) => {
      const object = await get(key, range);
      read.push(object!.bytes.length);
      return object;
    };
    const values = await valuesOf(`Content-Type: text/plain; charset=utf-8\n\n${'ä'.repeat(1_000_000)}\n`, { ...all, maxBodyValueBytes: 1001 });
    expect(values['text/plain']).toMatchObject({ value: 'ä'.repeat(500), isTruncated: true, isEncodingProblem: false });
    expect(Math.max(...read)).toBeLessThan(10_000);
    deployment.jmap.dependencies.objects.get = get;
  });

  test('that exceed the size of a response fail with requestTooLarge', async () => {
    const raw = `Content-Type: text/plain\n\n${'x'.repeat(1_900_000)}\n`;
    const ids = [await deployment.deliver({ raw }), await deployment.deliver({ raw }), await deployment.deliver({ raw }), await deployment.deliver({ raw })];
    expect(await deployment.call('Email/get', { ids, properties: ['bodyValues'], ...all })).toMatchObject({ type: 'requestTooLarge' });
    expect((await deployment.call('Email/get', { ids: ids.slice(1), properties: ['bodyValues'], ...all }))['list']).toHaveLength(3);
  });

  test('of a message that is not valid RFC 5322 are returned', async () => {
    const id = await deployment.deliver({ raw: Buffer.from([0, 1, 2, 255, 254, 10]) });
    expect((await deployment.call('Email/get', { ids: [id], ...all }))['list']).toHaveLength(1);
  });
});
