import { listCsv } from '../../../../console/parts/lists/list-csv.ts';

test.each([
  ['Zoë', '"Zoë"'],
  ['a,b;c', '"a,b;c"'],
  ['says "no"', '"says ""no"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['=HYPERLINK("http://evil.example","Click")', `"'=HYPERLINK(""http://evil.example"",""Click"")"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['', '""'],
])('a list as CSV has the text %j as a cell that is no formula', (text, cell) => {
  const columns = [{ header: 'Name', text: (item: string) => item }, { header: 'Actions' }];
  expect(listCsv(columns, [text])).toBe(`\ufeff"Name"\r\n${cell}\r\n`);
});
