import { itemOfImage } from '../../../../core/storage/dynamodb/item-image.ts';

test('itemOfImage returns the item that was stored', () => {
  const image = {
    pk: { S: 'p' },
    sk: { S: 's' },
    empty: { S: '' },
    number: { N: '-1.5' },
    yes: { BOOL: true },
    no: { BOOL: false },
    nothing: { NULL: true },
    list: { L: [{ S: 'a' }, { L: [{ N: '2' }] }] },
    map: { M: { deep: { M: { er: { S: 'ü' } } } } },
    bytes: { B: 'AP8=' },
  };
  const item = itemOfImage(image);
  expect(item).toMatchObject({ pk: 'p', sk: 's', empty: '', number: -1.5, yes: true, no: false, nothing: null, list: ['a', [2]], map: { deep: { er: 'ü' } } });
  expect([...(item['bytes'] as Uint8Array)]).toEqual([0, 255]);
});
