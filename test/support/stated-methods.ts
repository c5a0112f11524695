import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { verbArguments, type Arguments, type CustomMethod, type RecordType } from '../../contract/jmap/record.ts';

const contractFolder = join(import.meta.dirname, '..', '..', 'contract', 'jmap');

/** A JMAP method of the contract. */
export type StatedMethod = {
  readonly name: string;
  readonly capability: string;
  readonly stated: Arguments | 'any';
  /** The record type of the method; undefined for methods such as Core/echo. */
  readonly record: RecordType | undefined;
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isRecordType = (value: unknown): value is RecordType => isObject(value) && 'properties' in value && 'methods' in value;
const isCustomMethod = (value: unknown): value is CustomMethod =>
  isObject(value) && 'arguments' in value && 'capability' in value && 'name' in value && !('methods' in value);

/** Everything that the files of contract/jmap export. */
const contractExports = async (): Promise<readonly unknown[]> =>
  (await Promise.all(readdirSync(contractFolder).map(async (file) => Object.values((await import(join(contractFolder, file))) as object)))).flat();

/** Every record type that a file of contract/jmap exports. */
export const statedRecordTypes = async (): Promise<readonly RecordType[]> => (await contractExports()).filter(isRecordType);

/** Every custom method, such as Core/echo, that a file of contract/jmap exports. */
export const statedCustomMethods = async (): Promise<readonly CustomMethod[]> => (await contractExports()).filter(isCustomMethod);

/** Every method in contract/jmap: those of record types, and those without a record type. */
export const statedMethods = async (): Promise<readonly StatedMethod[]> => {
  const exported = await contractExports();
  const types = exported.filter(isRecordType);
  const custom = ({ name, capability, arguments: stated }: CustomMethod): StatedMethod => ({
    name,
    capability,
    stated,
    record: types.find((type) => name.startsWith(`${type.name}/`)),
  });
  const all = [
    ...types.flatMap((record) =>
      record.methods.map((method) =>
        typeof method === 'string'
          ? { name: `${record.name}/${method}`, capability: record.capability, stated: verbArguments(record, method), record }
          : custom(method),
      ),
    ),
    ...exported.filter(isCustomMethod).map(custom),
  ];
  return [...new Map(all.map((method) => [method.name, method])).values()];
};
