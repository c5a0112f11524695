import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

/** Requests of published client libraries that differ from the wording of the RFCs. */

const deployment = jmapDeploymentPerTest();
const roles = perTest(() => deployment.roles());

describe('a Comparator of jmapc, which has arguments of the query too,', () => {
  const comparator = (property: string, more: Json = {}): Json => ({
    property,
    isAscending: true,
    anchorOffset: 0,
    calculateTotal: false,
    position: 0,
    ...more,
  });
  const query = (sort: readonly Json[]) => deployment.call('Email/query', { sort, calculateTotal: true });
  let ids: string[];
  beforeEach(async () => {
    ids = [];
    for (const subject of ['c', 'a', 'b']) ids.push(await deployment.deliver({ subject, keywords: subject === 'b' ? ['$flagged'] : [] }));
  });
  const sortedBy = (...indexes: number[]) => ({ ids: indexes.map((index) => ids[index]), total: 3, position: 0 });

  // @pitfall query comparator-properties
  test('sorts as one without them', async () => {
    expect(await query([comparator('subject')])).toMatchObject(sortedBy(1, 2, 0));
    expect(await query([comparator('subject', { isAscending: false })])).toMatchObject(sortedBy(0, 2, 1));
    expect(await query([comparator('hasKeyword', { keyword: '$flagged', isAscending: false }), comparator('subject')])).toMatchObject(sortedBy(2, 1, 0));
    expect(await deployment.call('Mailbox/query', { sort: [comparator('name')] })).toMatchObject({ position: 0, ids: expect.any(Array) as unknown });
  });

  test('leads to the same changes of the query', async () => {
    const { queryState } = await query([comparator('subject')]);
    const added = await deployment.deliver({ subject: 'aa' });
    expect(await deployment.call('Email/queryChanges', { sort: [comparator('subject')], sinceQueryState: queryState as string })).toMatchObject({
      added: [{ id: added, index: 1 }],
      removed: [],
    });
  });

  test('is refused for an unknown property or collation, and without the keyword that it needs', async () => {
    expect(await query([comparator('colour')])).toMatchObject({ type: 'unsupportedSort' });
    expect(await query([comparator('subject', { collation: 'i;klingon' })])).toMatchObject({ type: 'unsupportedSort' });
    expect(await query([comparator('hasKeyword')])).toMatchObject({ type: 'invalidArguments' });
    expect(await query([{ property: 'subject', isAscending: 'yes' }])).toMatchObject({ type: 'invalidArguments' });
  });
});

describe('the parts of a message that is forwarded as Email/get returned them', () => {
  const raw = [
    'From: a@example.net',
    'Subject: Original',
    'Content-Type: multipart/mixed; boundary=m',
    '',
    '--m',
    'Content-Type: multipart/alternative; boundary=n',
    '',
    '--n',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=FC=DFe',
    '--n',
    'Content-Type: text/html; charset=utf-8',
    'Content-Language: de',
    '',
    '<p>Grüße</p>',
    '--n--',
    '--m',
    'Content-Type: image/png; name="Bild ü.png"',
    'Content-ID: <picture@example.net>',
    'Content-Disposition: attachment',
    'Content-Location: pictures/1.png',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0KGgo=',
    '--m',
    'Content-Type: message/rfc822',
    '',
    'Subject: Inner',
    '',
    'inner text',
    '--m--',
    '',
  ].join('\n');
  const partProperties = ['partId', 'blobId', 'size', 'name', 'type', 'charset', 'disposition', 'cid', 'language', 'location', 'subParts'];
  let original: Json;
  beforeEach(async () => {
    const id = await deployment.deliver({ raw });
    original = await get(id, { properties: ['bodyStructure', 'textBody', 'htmlBody', 'attachments'], bodyProperties: partProperties });
  });
  const get = async (id: string, args: Json = {}): Promise<Json> => (await deployment.call('Email/get', { ids: [id], ...args }))['list'][0] as Json;
  const create = async (properties: Json): Promise<Json> => {
    const { created, notCreated } = await deployment.call('Email/set', {
      create: { forward: { mailboxIds: { [roles['drafts']!]: true }, subject: 'Fwd: Original', ...properties } },
    });
    return notCreated ? (notCreated.forward as Json) : get(created.forward.id as string, { fetchAllBodyValues: true });
  };
  const contentOf = async ({ blobId }: Json): Promise<Buffer> => {
    const { blobs } = deployment.jmap.dependencies;
    return (await blobs.read((await blobs.find('acc_alice', [blobId as string])).get(blobId as string)!))!;
  };
  const contents = (parts: readonly Json[]) => Promise.all(parts.map(contentOf));

  // @pitfall set create-parts-as-read
  test('are its blobs, in attachments together with a new text', async () => {
    const text = { textBody: [{ partId: 'text', type: 'text/plain' }], bodyValues: { text: { value: 'See below.' } } };
    const { attachments, ...email } = await create({ ...text, attachments: original['attachments'] });
    expect(email).toMatchObject({ subject: 'Fwd: Original', textBody: [{ type: 'text/plain' }] });
    expect(await contents(attachments)).toEqual(await contents(original['attachments']));
    expect(attachments).toMatchObject([
      { type: 'image/png', name: 'Bild ü.png', cid: 'picture@example.net', disposition: 'attachment', location: 'pictures/1.png' },
      { type: 'message/rfc822' },
    ]);
  });

  test('are its blobs, in textBody and htmlBody', async () => {
    const { textBody, htmlBody } = await create({ textBody: original['textBody'].slice(0, 1), htmlBody: original['htmlBody'].slice(0, 1) });
    expect((await contents([textBody[0], htmlBody[0]])).map(String)).toEqual([Buffer.from('Gr\xfc\xdfe', 'latin1').toString(), '<p>Grüße</p>']);
    expect([textBody, htmlBody]).toMatchObject([[{ charset: 'iso-8859-1' }], [{ charset: 'utf-8', language: ['de'] }]]);
  });

  test('are its blobs, in a whole bodyStructure', async () => {
    const { textBody, htmlBody, attachments, bodyValues } = await create({ bodyStructure: original['bodyStructure'] });
    expect(await contents([...textBody, ...htmlBody, ...attachments])).toEqual(
      await contents([...original['textBody'], ...original['htmlBody'], ...original['attachments']]),
    );
    expect(Object.values(bodyValues as Json).map(({ value }) => value as string)).toEqual(['Grüße', '<p>Grüße</p>']);
  });

  test('are refused with a partId that names a body value too, and without a blobId', async () => {
    const [text] = original['textBody'] as [Json];
    const bodyValues = { [text['partId'] as string]: { value: 'Another text' } };
    expect(await create({ textBody: [text], bodyValues })).toMatchObject({ type: 'invalidProperties', properties: ['textBody/0/partId'] });
    expect(await create({ textBody: [{ ...text, blobId: null }] })).toMatchObject({ type: 'invalidProperties' });
    expect(await create({ textBody: [{ partId: text['partId'], type: 'text/plain' }] })).toMatchObject({
      type: 'invalidProperties',
      properties: ['textBody/0/partId'],
    });
    expect(await create({ textBody: [{ ...text, blobId: 'nothing' }] })).toMatchObject({ type: 'blobNotFound', notFound: ['nothing'] });
  });
});

// @pitfall set import-maps
test('Email/import has created and notCreated as maps, also when they are empty, for himalaya', async () => {
  const blobId = await deployment.upload(Buffer.from('From: a@example.net\r\nSubject: Imported\r\n\r\nText\r\n'));
  const importTo = (mailboxIds: Json) => deployment.call('Email/import', { emails: { mail: { blobId, mailboxIds, keywords: { $seen: true } } } });
  const imported = await importTo({ [roles['inbox']!]: true });
  expect([Object.keys(imported['created']), imported['notCreated']]).toEqual([['mail'], {}]);
  const refused = await importTo({ none: true });
  expect([refused['created'], Object.keys(refused['notCreated'])]).toEqual([{}, ['mail']]);
});

describe('a patch with false, as the client of Stalwart removes members of a set,', () => {
  let id: string;
  beforeEach(async () => {
    id = await deployment.deliver({ keywords: ['$seen', 'project'] });
  });
  const update = (patch: Json) => deployment.call('Email/set', { update: { [id]: patch } });
  const state = async (): Promise<Json> => (await deployment.call('Email/get', { ids: [id], properties: ['keywords', 'mailboxIds'] }))['list'][0] as Json;

  // @pitfall set patch-false
  test('removes keywords and mailboxes', async () => {
    const { inbox, archive } = roles as { inbox: string; archive: string };
    expect(await update({ 'keywords/$Seen': false, 'keywords/never': false, 'keywords/$flagged': true })).toMatchObject({
      updated: { [id]: null },
      notUpdated: null,
    });
    expect(await update({ [`mailboxIds/${archive}`]: true, [`mailboxIds/${inbox}`]: false })).toMatchObject({ updated: { [id]: null } });
    expect(await state()).toEqual({ id, keywords: { $flagged: true, project: true }, mailboxIds: { [archive]: true } });
  });

  test('changes nothing when the member is absent', async () => {
    const { oldState, newState, updated } = await update({ 'keywords/never': false });
    expect([newState, updated]).toEqual([oldState, { [id]: null }]);
  });

  test('is refused when it would leave no mailbox, for a member of a member, and in a whole set', async () => {
    const inbox = roles['inbox']!;
    expect(await update({ [`mailboxIds/${inbox}`]: false })).toMatchObject({ notUpdated: { [id]: { type: 'invalidProperties' } } });
    expect(await update({ 'keywords/$seen/x': false })).toMatchObject({ notUpdated: { [id]: { type: 'invalidPatch' } } });
    expect(await update({ keywords: { $seen: false } })).toMatchObject({ notUpdated: { [id]: { type: 'invalidProperties', properties: ['keywords'] } } });
    expect(await update({ 'keywords/$seen': 0 })).toMatchObject({ notUpdated: { [id]: { type: 'invalidProperties', properties: ['keywords'] } } });
    expect(await state()).toMatchObject({ keywords: { $seen: true, project: true } });
  });
});
