import { maxChangedMembers } from '../../../contract/admin/aliases.ts';
import { AdminApiError } from '../../../contract/client.ts';
import { parseEmailAddress } from '../../../contract/values/mail-address.ts';

/** Splits a text at blanks, commas, semicolons and lines. Of `Ada Lovelace <ada@firm.example>` it takes the address. */
export const typedAddresses = (text: string): readonly string[] =>
  [...new Set(text.split(/[\n,;]/).flatMap((part) => /<([^<>]*)>/.exec(part)?.[1]?.trim() ?? part.trim().split(/\s+/)))].filter((each) => each !== '');

/** An address that was not added. Without an error, the text is no address. */
export type RefusedAddress = { readonly address: string; readonly error?: AdminApiError };

type Adding = {
  /** Adds all of the addresses, or none. */
  readonly add: (addresses: readonly string[]) => Promise<unknown>;
  readonly noteAdded: (addresses: readonly string[]) => void;
};

/** Whether other addresses of the same call may be accepted. */
const isAboutAddresses = (error: unknown): error is AdminApiError =>
  error instanceof AdminApiError && (error.code === 'failed_precondition' || error.code === 'permission_denied');

/** Adds addresses in one call. After a refusal that names some of them, it adds the others. */
const addTogether = async (addresses: readonly string[], adding: Adding): Promise<readonly RefusedAddress[]> => {
  if (addresses.length === 0) return [];
  try {
    await adding.add(addresses);
    adding.noteAdded(addresses);
    return [];
  } catch (error) {
    if (!isAboutAddresses(error)) throw error;
    const texts = new Set(error.message.split(/[\s,()]+/));
    const named = addresses.filter((each) => addresses.length === 1 || texts.has(parseEmailAddress(each) ?? each));
    if (named.length === 0) return addresses.map((address) => ({ address, error }));
    const others = addresses.filter((each) => !named.includes(each));
    return [...named.map((address) => ({ address, error })), ...(await addTogether(others, adding))];
  }
};

/** Adds addresses, as many in a call as the API takes. @returns those that were refused. @throws the error of a call that failed for another reason. */
export const addAddresses = async (typed: readonly string[], adding: Adding): Promise<readonly RefusedAddress[]> => {
  const addresses = typed.filter((each) => parseEmailAddress(each) !== undefined);
  const refused: RefusedAddress[] = typed.filter((each) => !addresses.includes(each)).map((address) => ({ address }));
  for (let start = 0; start < addresses.length; start += maxChangedMembers) {
    refused.push(...(await addTogether(addresses.slice(start, start + maxChangedMembers), adding)));
  }
  return refused;
};
