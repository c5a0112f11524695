import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const to = jmapDeploymentPerTest();

describe('an Email whose raw message was erased, as a restore to an earlier time leaves it', () => {
  test('is returned beside other Emails, with what its record has, without header fields and with empty, truncated values', async () => {
    const erased = await to.deliver({ id: 'erased' });
    const keys = to.objects.keys();
    const other = await to.deliver({ id: 'other' });
    await to.objects.erase(keys);
    const { list, notFound } = await to.call('Email/get', {
      ids: [erased, other],
      properties: ['subject', 'bodyValues', 'headers', 'textBody'],
      fetchTextBodyValues: true,
    });
    const [first, second] = list as Json[];
    expect(notFound).toEqual([]);
    expect(first).toMatchObject({ subject: 'Subject of erased', bodyValues: { 1: { value: '', isTruncated: true } }, headers: [] });
    expect(second).toMatchObject({ subject: 'Subject of other', bodyValues: { 1: { value: expect.stringMatching(/./), isTruncated: false } } });
    expect(to.logged).toEqual([]);
  });

  test('has no snippet of its text', async () => {
    const erased = await to.deliver({ id: 'erased' });
    await to.objects.erase(to.objects.keys());
    const { list } = await to.call('SearchSnippet/get', { filter: { body: 'hello' }, emailIds: [erased] });
    expect(list).toEqual([{ emailId: erased, subject: null, preview: null }]);
  });
});
