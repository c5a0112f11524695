import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';
import { blobCalls } from './blob-calls.ts';

const deployment = jmapDeploymentPerTest();
const calls = perTest(() => blobCalls(deployment));

const message = Buffer.from('From: a@example.net\r\nSubject: Kept\r\n\r\nHello.\r\n');
/** Removes all uploads, as if they had expired in the bucket. */
const expire = () => deployment.objects.removeSome('uploads/acc_alice/');
const modifiedTimes = async (): Promise<number[]> => (await deployment.objects.list('uploads/acc_alice/')).map(({ modified }) => modified.getTime());

// @requirement 8620 §6 blob-kept
describe('an upload', () => {
  test('of which an Email was made is kept with the Email, and the Email is whole after the upload expired', async () => {
    const inbox = (await deployment.roles())['inbox']!;
    const { id: blobId } = await calls.create({ 'data:asText': message.toString() });
    const [imported] = await calls.request(['Email/import', { emails: { e: { blobId, mailboxIds: { [inbox]: true } } } }]);
    await expire();
    const {
      list: [email],
    } = await deployment.call('Email/get', { ids: [imported!['created'].e.id], properties: ['blobId', 'bodyValues', 'textBody'], fetchTextBodyValues: true });
    expect(Object.values(email.bodyValues as Json)).toMatchObject([{ value: 'Hello.\n' }]);
    const {
      list: [blob],
    } = await calls.call('Blob/get', { ids: [email.blobId] });
    expect(blob['data:asText']).toBe(message.toString());
  });

  test('that Blob/upload joined to another blob may expire before that blob', async () => {
    const piece = await calls.upload(message);
    const { id } = await calls.create({ blobId: piece }, { 'data:asText': 'More.\r\n' });
    await deployment.objects.remove([`uploads/acc_alice/${piece.slice(1)}`]);
    expect(await calls.call('Blob/get', { ids: [id, piece], properties: ['size'] })).toMatchObject({
      list: [{ id, size: message.length + 7 }],
      notFound: [piece],
    });
  });

  test('is stored anew when Blob/upload makes the same content, so that it expires later', async () => {
    const { id } = await calls.create({ 'data:asText': message.toString() });
    const [first] = await modifiedTimes();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    expect((await calls.create({ blobId: id }))['id']).toBe(id);
    const [second, ...others] = await modifiedTimes();
    expect(second).toBeGreaterThan(first!);
    expect(others).toEqual([]);
  });

  test('that expired is found no more by any method, and can be uploaded again with the same id', async () => {
    const inbox = (await deployment.roles())['inbox']!;
    const blobId = await deployment.upload(message);
    await expire();
    const [get, lookup, imported] = await calls.request(
      ['Blob/get', { ids: [blobId] }],
      ['Blob/lookup', { ids: [blobId], typeNames: ['Email'] }],
      ['Email/import', { emails: { e: { blobId, mailboxIds: { [inbox]: true } } } }],
    );
    expect([get!['notFound'], lookup!['notFound'], imported!['created']]).toEqual([[blobId], [blobId], {}]);
    await expect(calls.create({ blobId })).rejects.toMatchObject({ type: 'blobNotFound' });
    expect(await calls.create({ 'data:asText': message.toString() })).toMatchObject({ id: blobId });
  });
});
