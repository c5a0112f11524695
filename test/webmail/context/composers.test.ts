import { createComposers } from '../../../webmail/context/composers.ts';

describe('the messages that are being written', () => {
  test('a draft that is continued where the list shows an earlier save is the last one', () => {
    const composers = createComposers();
    composers.open('a', { kind: 'new' });
    const { key } = composers.all()[0]!;
    for (const emailId of ['first', 'second', 'second', 'third']) composers.setSaved(key, emailId);
    composers.close(key);
    composers.open('a', { kind: 'continue', emailId: 'first' });
    composers.open('a', { kind: 'continue', emailId: 'second' });
    expect(composers.all()).toMatchObject([{ emailId: 'third', request: { kind: 'continue', emailId: 'third' } }]);
  });
});
