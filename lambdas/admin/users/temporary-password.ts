import { randomInt } from 'node:crypto';

/** Characters of a temporary password, without those that look like others on paper. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const [groups, groupLength] = [4, 4];

/** A random password of 92 bits. It has characters of each class that the user pool requires; the hyphen is a symbol. */
export const temporaryPassword = (): string => {
  const group = (): string => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const password = Array.from({ length: groups }, group).join('-');
  return [/[a-z]/, /[A-Z]/, /[0-9]/].every((required) => required.test(password)) ? password : temporaryPassword();
};
