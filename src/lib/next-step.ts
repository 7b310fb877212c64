/**
 * What the user can do about an error or a warning, as data: the core of the program knows no commands. The command line
 * words it (src/cli/next-step-text.ts).
 */
export type NextStep =
  /**
   * Sign in; `profile` if it is not the current one. `sends`: this also sends pending changes. `allowsAccess`: the user
   * denied access the last time. `ifInvalid`: only if the sign-in is no longer valid.
   */
  | {
      action: 'sign_in'
      profile?: string | undefined
      sends?: boolean
      allowsAccess?: boolean
      ifInvalid?: boolean
    }
  /** Copy what can be read of a damaged database. */
  | { action: 'salvage' }
  /** Restore a backup. */
  | { action: 'restore' }
  /** Sign out of a profile. */
  | { action: 'sign_out'; profile: string }
  /** Use another token instead of the one that belongs to no profile, with this scope if it lacks one; or sign in. */
  | { action: 'replace_token'; scope?: string }
  /** Send pending changes now, one without `count`; `wait` until the settling time has passed. */
  | { action: 'sync'; wait?: boolean; count?: number }
  /** Show the pending and rejected changes. */
  | { action: 'list_changes' }
  /**
   * Correct a rejected change, send it again, or discard it. `seq` is its number in the outbox, `edit` the record that
   * can be edited instead; a conflict is resolved by overwriting the record at the service, or by discarding the change. The
   * `candidates` of an ambiguous one are the IDs of the records that it may have created.
   */
  | {
      action: 'resolve_change'
      seq: number
      isConflict?: boolean
      edit?: EditableRecord | undefined
      candidates?: readonly string[]
    }
  /** Delete a record. */
  | ({ action: 'remove' } & EditableRecord)
  /** Send a field of an expense again: its date, or a field under the name that the service uses. */
  | { action: 'resend_field'; id: string; date: string | undefined }
  /** Show the records of a kind with their IDs; `example` is a command with IDs. */
  | { action: 'list'; records: RecordKind; example?: string }
  /** Write the command like these. */
  | { action: 'follow_example'; commands: readonly string[] }
  /** Redo only what was undone. */
  | { action: 'redo_undone' }
  /** Stop the running timer. */
  | { action: 'stop_timer'; name: string }
  /** Change the end of the last entry, if it ended earlier. */
  | { action: 'correct_end' }
  /** Sign in at a service instead of using the local workspace; `again` after a failed sign-in. */
  | { action: 'use_service'; again: boolean }
  /**
   * Resolve a problem with tracked time by these changes, in order, or by another one that removes tracked time: `removed`
   * says how much.
   */
  | {
      action: 'fix_entries'
      fixes: readonly EntryFix[]
      alternative?: { fix: Extract<EntryFix, { action: 'edit' }>; removed: string }
    }
  /** Compare the saved entries and expenses with what the command should have saved. */
  | { action: 'check_saved' }
  /** Write another task, or create one if that is possible. */
  | { action: 'choose_task'; canCreate: boolean }
  /** Create the first task. */
  | { action: 'create_task' }
  /** Write the known name, or create a task with the similar name that was typed. */
  | { action: 'correct_or_create'; typed: string; known: string }
  /** Merge a record that was created by a typo into the one that was meant. */
  | { action: 'merge'; records: 'clients' | 'projects' | 'tasks'; from: string; into: string }
  /** Rename no record to the name of another one, but merge it into that one. */
  | { action: 'combine'; records: MergeableRecords; from: string; into: string }
  /** Restore an archived record, or use another one. */
  | { action: 'restore_record'; records: MergeableRecords; name: string }
  /** Start a timer, or add an entry for past time. */
  | { action: 'start_or_add' }
  /** Add an entry at any time. */
  | { action: 'add_entry' }
  /** Change the start of the running timer. */
  | { action: 'edit_timer_start' }
  /** End the timer at its start, or later: the clock of this machine shows an earlier time. */
  | { action: 'end_timer'; start: string }
  /** Show the changes that can be undone or redone. */
  | { action: 'list_history'; direction: 'undo' | 'redo' }
  /** Undo or redo the change that comes after the one that failed. */
  | { action: 'next_change'; direction: 'undo' | 'redo' }
  /** Change or remove a setting. */
  | { action: 'set'; setting: string; value?: string }
  | { action: 'unset'; setting: string }
  /** Write a setting like the example, or list the settings without one; remove it if it is stored (`isStored`). */
  | {
      action: 'correct_setting'
      setting: string
      example?: { setting: string; value: string }
      isStored: boolean
    }
  /** Import a file again with another value of this option. */
  | { action: 'set_import_option'; option: 'format' | 'columns' | 'date_order' | 'encoding' }
  /** Set the amount of an expense. */
  | { action: 'set_amount'; expense: string | number }
  /** Sign in and request these scopes. */
  | { action: 'request_scopes'; profile?: string; scopes: readonly string[] }
  /** Check the values of the sign-in; `orWithoutKey`: or sign in without a legacy key. */
  | { action: 'check_sign_in'; values: readonly SignInValue[]; orWithoutKey?: boolean }
  /** Sign in at another address. */
  | { action: 'change_address'; value: 'base_url' | 'auth_url'; url: string | undefined }
  /** Sign in with the browser instead of a legacy key. */
  | { action: 'sign_in_without_key' }
  /** Sign in, if necessary with a browser on another machine. */
  | { action: 'sign_in_with_other_browser' }
  /** Sign in with a file as credential store. */
  | { action: 'store_in_file' }
  /** Replace credentials that other users may have read. */
  | { action: 'replace_credentials' }
  /** Sign in and allow http: addresses of other machines. */
  | { action: 'allow_insecure_http' }
  /** Choose whether the records of a removed user stay. */
  | { action: 'choose_user_records' }
  /** Register this redirect URI and use it by default; without `uri`, register another one. */
  | { action: 'register_redirect_uri'; uri?: string }

/** A value of the sign-in that the user may have to correct. */
export type SignInValue = 'base_url' | 'auth_url' | 'client_id' | 'client_secret' | 'redirect_uri' | 'scope'

/** Records that administrators and users of a local workspace change. */
type CatalogRecords = 'clients' | 'expense_types' | 'projects' | 'tasks'

/** Records that can be merged and archived; those of an administrator belong to the whole service. */
type MergeableRecords = `${'' | 'admin_'}${'clients' | 'projects' | 'tasks'}`

/** The records that a command can list; those of an administrator belong to the whole service. */
type RecordKind =
  | 'entries'
  | 'expenses'
  | CatalogRecords
  | `admin_${CatalogRecords}`
  | 'admin_applications'
  | 'admin_tokens'
  | 'admin_users'

/** A record that the user can edit or delete. */
interface EditableRecord {
  kind: 'entry' | 'expense'
  /** The ID at the service, or a local ID such as `~3`. */
  id: string
}

/** A change to an entry that resolves a problem with tracked time, alone or as a step of several. */
export type EntryFix =
  /** Add an entry; without `linkId` the user has to choose the task. */
  | { action: 'add'; linkId?: string | number | null; from: Date; to: Date; notes?: string }
  /** Change an entry; `missing` names the field whose value only the user knows. */
  | {
      action: 'edit'
      id: string | number
      from?: Date
      to?: Date
      notes?: string
      missing?: 'to' | 'notes'
    }
  | { action: 'split'; id: string | number; at: Date }
  | { action: 'remove'; id: string | number }

/** A message, with what the user can do about it. */
export interface Notice {
  message: string
  nextStep?: NextStep
}
