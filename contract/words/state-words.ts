/** The look of a state: a type of Cloudscape's status indicator. */
export type StateLook = 'success' | 'pending' | 'warning' | 'error' | 'stopped' | 'info' | 'in-progress';

export type StateWords = {
  readonly look: StateLook;
  readonly label: string;
  /** The meaning of the state, where a page explains it. */
  readonly sentence?: string | undefined;
  /** The next step for a person; absent when nothing needs to be done. */
  readonly nextStep?: string | undefined;
};

const withLook =
  (look: StateLook) =>
  (label: string, sentence?: string, nextStep?: string): StateWords => ({ look, label, sentence, nextStep });
export const [success, pending, inProgress] = [withLook('success'), withLook('pending'), withLook('in-progress')];
export const [info, warning, error, stopped] = [withLook('info'), withLook('warning'), withLook('error'), withLook('stopped')];
