import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { methodDescriptions } from '../../contract/reference/description.ts';

const folder = join(import.meta.dirname, '..', '..', 'console');
const sources = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  .join('\n');

/**
 * Methods that no page calls: aliases of other methods, and methods whose data a page gets from another method with a
 * larger response, or that an operator calls by postrider-admin.
 */
const withoutPage: { readonly [method: string]: string } = {
  'domains/CreateDomain': 'another name of AddDomain',
  'domains/GetDomainVerification': 'another name of GetDomain',
  'domains/VerifyDomain': 'another name of GetDomain',
  'status/Ping': 'every other call says the same about the caller',
  'users/ListUserAccounts': 'GetUserOverview has the accounts',
};

/** Whether a page calls the method by a hook, a list or a form. */
const isUsed = (service: string, method: string): boolean =>
  new RegExp(`'${service}',\\s+'${method}'|service(?:="|: ')${service}["'],?\\s+method(?:="|: ')${method}["']`).test(sources);

describe('the console', () => {
  const methods = methodDescriptions().map(({ service, name }) => ({ service, name, id: `${service}/${name}` }));

  test.each(methods.filter(({ id }) => !(id in withoutPage)))('reaches $id', ({ service, name }) => {
    expect(isUsed(service, name)).toBe(true);
  });

  test('leaves out only methods of the contract', () => {
    expect(Object.keys(withoutPage).filter((id) => !methods.some((method) => method.id === id))).toEqual([]);
  });
});
