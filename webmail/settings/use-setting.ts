import { useState } from 'react';
import { useMail } from '../context/mail-context.ts';
import { callsIn, MethodError, reasonOf, refusalOf, ResponseLost } from '../jmap/requests.ts';
import type { GetResponse, Id, SetError, SetResponse } from '../jmap/types.ts';
import { settingsWords as words } from '../words/settings-words.ts';

/** The only object of a type in an account (RFC 8621 §8). */
const singleton = 'singleton';

export type Found<T> = { readonly state: string; readonly value: T };

/** Reads the only object of a type in an account. @throws Error with words for a person. */
export const readSetting = async <T>(...[requests, accountId, type]: readonly [...Parameters<typeof callsIn>, type: string]): Promise<Found<T>> => {
  const { state, list } = await callsIn(requests, accountId)<GetResponse<T>>(`${type}/get`, { ids: [singleton] }).result;
  const [value] = list;
  if (value === undefined) throw new Error(`the server has no ${type}`);
  return { state, value };
};

type SetAnswer<T> = Omit<SetResponse, 'updated'> & { readonly updated?: Readonly<Record<Id, Partial<T> | null>> | null };

/** What the person is told after an attempt to save. */
export type Outcome = { readonly isSaved: boolean; readonly text: string; readonly refusal?: SetError };

/** Keeps what the server has of a setting, and saves changes of it. */
export const useSetting = <T extends object>(type: string, accountId: Id, found: Found<T>, onSaved: (value: T) => void) => {
  const { requests } = useMail();
  const [{ state, value }, setStored] = useState(found);
  const [isSaving, setSaving] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | undefined>();

  const attempt = async (patch: Partial<T>): Promise<Outcome & { readonly value?: T }> => {
    const call = callsIn(requests, accountId);
    try {
      const { newState, updated, notUpdated } = await call<SetAnswer<T>>(`${type}/set`, { ifInState: state, update: { [singleton]: patch } }).result;
      const refusal = notUpdated?.[singleton];
      if (refusal) return { isSaved: false, text: words.notSaved(refusalOf(refusal)), refusal };
      const next: T = { ...value, ...patch, ...updated?.[singleton] };
      setStored({ state: newState, value: next });
      return { isSaved: true, text: words.saved, value: next };
    } catch (error) {
      if (error instanceof ResponseLost) return { isSaved: false, text: words.maybeSaved };
      if (!(error instanceof MethodError) || error.type !== 'stateMismatch') return { isSaved: false, text: words.notSaved(reasonOf(error)) };
      setStored(await readSetting<T>(requests, accountId, type));
      return { isSaved: false, text: words.changedElsewhere };
    }
  };
  return {
    stored: value,
    outcome,
    clear: () => setOutcome(undefined),
    /** @returns what the server has then. Undefined when it was not saved. */
    save: async (patch: Partial<T>): Promise<T | undefined> => {
      if (isSaving) return undefined;
      setSaving(true);
      setOutcome(undefined);
      const { value: saved, ...result } = await attempt(patch).catch((error: unknown) => ({
        isSaved: false,
        text: words.notSaved(reasonOf(error)),
        value: undefined,
      }));
      setSaving(false);
      setOutcome(result);
      if (saved) onSaved(saved);
      return saved;
    },
  };
};
