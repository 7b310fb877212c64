import type { InvalidResponseError, UnreachableError } from '../../api-client/api-errors.js'
import type { WireFields, WireRecord } from '../../api-client/types.js'
import type { TtError } from '../../lib/errors.js'
import type { Rejection } from '../queued-change.js'

/** The outcome of sending a change, which is then settled. */
export type SendOutcome =
  /** The service has the change. */
  | {
      name: 'delivered'
      /** The record at the service; undefined for a deletion. */
      record: WireRecord | undefined
      /** Whether the service may have applied an earlier request of a create too. */
      isResent: boolean
    }
  /** The record of a create has other values at the service: another client has changed it, or has created it before. */
  | {
      name: 'edited_elsewhere'
      record: WireRecord
      /** The sent fields that differ. */
      fields: WireFields
      rejection: Rejection
    }
  /** Another client has changed or deleted the record. */
  | {
      name: 'conflict'
      rejection: Rejection
      /** The record at the service; undefined if it was deleted. */
      stored?: WireRecord
      /** The fields in conflict, if the others are delivered; otherwise all fields are. */
      fields?: WireFields
    }
  /** The service rejected the change. */
  | {
      name: 'refused'
      rejection: Rejection
      /** Whether it rejected an entry with an end, so that a missing end is not its reason. */
      isEndIrrelevant: boolean
    }
  /** The service rejected an entry because it has no end. */
  | { name: 'open_entry_refused' }
  /** The request failed in a way that may be about this change only; its outcome is unknown. */
  | { name: 'failed'; error: UnreachableError | InvalidResponseError }
  /** A change is not sent yet: a create has an unknown outcome, or the record of another change cannot be read. */
  | {
      name: 'settling'
      /**
       * The time from which it may be sent again, in epoch milliseconds; undefined while the service sends incomplete
       * lists, or none.
       */
      until: number | undefined
      /** Whether the time starts now, because no clock shows when the change was sent. */
      startsNow: boolean
      /** Why the create could not be looked up, or the record not be read. */
      failure?: TtError | undefined
    }
  /** Whether the service has a create cannot be decided: the user decides. */
  | { name: 'ambiguous'; candidates: WireRecord[]; rejection: Rejection }
