import { behaviours, undocumentedNames, type UndocumentedBehaviour } from '../../undocumented-behaviour.ts';
import { badRequest } from '../message/ses-error.ts';
import type { SesOperation } from './ses-operation.ts';

/** Changes how the sandbox behaves where AWS documents nothing. This operation exists only in the sandbox. */
export const undocumentedOperation = (undocumented: UndocumentedBehaviour): SesOperation => ({
  method: 'POST',
  path: '/undocumented/{Name}/{Behaviour}',
  async run({ parameters }) {
    const name = undocumentedNames.find((each) => each === parameters['Name']);
    const behaviour = behaviours.find((each) => each === parameters['Behaviour']);
    if (!name) throw badRequest(`The name must be one of ${undocumentedNames.join(', ')}.`);
    if (!behaviour) throw badRequest(`The behaviour must be one of ${behaviours.join(', ')}.`);
    undocumented[name] = behaviour;
    return { ...undocumented };
  },
});
